"""Tests of gitops-karmada."""
