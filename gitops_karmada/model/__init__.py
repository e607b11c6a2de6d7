"""What things are: frozen values, without I/O, clock or chance. Every other room may import from here."""
