"""What the data protection law (LGPD) asks of us: how long things are kept, who may have them, and telling people."""
