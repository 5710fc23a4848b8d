"""What is shown of figures: documents, and the forms in which they are drawn."""
