"""What is doubtful in a set of demonstrations: heuristics beside the faults of form
that reading finds.
"""
