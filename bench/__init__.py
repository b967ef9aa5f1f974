"""How fast: repeatable measurements, each a ratio against a peer or a limit measured in the same run, in turns.

Machines differ and are shared, so a figure in requests per second says little; a ratio of two things done in turns on
the same machine says which is slower, and by how much. Each module runs by itself: `python -m bench.http_fares`.
"""
