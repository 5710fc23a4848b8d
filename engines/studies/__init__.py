"""Runs beside each other, and studies: conditions × items × repeats make sessions,
measures make figures, what is compared is paired.
"""
