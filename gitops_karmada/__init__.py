"""gitops-karmada: Karmada without the control plane. A Git repository is the federation API."""

__version__ = "0.1.0"
