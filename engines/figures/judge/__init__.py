"""Models as judges of answers: what they are asked, and what they said."""
