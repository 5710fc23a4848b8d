"""What happened: event types, the journal on disk, the library of saved sessions,
export.
"""
