"""Properties are tried on many examples; how long one of them takes on a busy machine says nothing."""

from hypothesis import settings

settings.register_profile("busy machine", deadline=None)
settings.load_profile("busy machine")
