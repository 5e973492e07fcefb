"""What a piece of a program did, by source line: collected, put in words, drawn."""
