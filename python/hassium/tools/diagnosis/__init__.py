"""What a part of a program did, by source line: collected, as text, and as HTML."""
