"""Sessions: event types, the journal on disk, the library, and export."""
