"""The integrator of smooth motion that belongs to a scheme, and the checks of the event driver."""

from __future__ import annotations

import numpy as np

from flexmb.errors import InputError
from flexmb.kernels.laws.law_codes import COULOMB
from flexmb.schemes.alpha_family import Alpha
from flexmb.schemes.alpha_smooth import AlphaSmooth
from flexmb.schemes.hybrid import Hybrid
from flexmb.schemes.scheme import LAW_WORDS, Scheme
from flexmb.schemes.smooth_scheme import EVENT_LAWS, SmoothScheme
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

WITH_EVENTS = "phem56, dopri5, hem5, rkf45, radau-iia-5, hybrid, newmark, hht, generalized-alpha"
"""Schemes that the event driver supports."""


def integrator_of(scheme: Scheme) -> SmoothScheme:
    """Return the integrator; InputError for a scheme that cannot locate impacts."""
    if isinstance(scheme, SmoothScheme):
        return scheme
    if isinstance(scheme, Alpha) and not scheme.naive:
        return AlphaSmooth(scheme)
    message = f"cannot be true with '{scheme.name}', which does not locate impacts; use one of {WITH_EVENTS}"
    raise InputError(message, where="time", key="events", value=True)


def check_events(scheme: Scheme, system: LinearSystem | MultibodySystem) -> None:
    """Raise InputError for features that the event driver does not support."""
    integrator_of(scheme)
    if isinstance(system, MultibodySystem) and system.spheres:
        message = "cannot be used with contacts of kind 'spheres'; list the pairs as contacts of kind sphere-sphere"
        raise InputError(message, where="scheme", key="name", value=scheme.name)
    blocks, labels = system.contacts.blocks, system.contacts.labels
    for key, i in blocks.laws().items():
        if key not in EVENT_LAWS:
            law = LAW_WORDS.get(key, key)
            message = f"does not support {law} (contact '{labels[i]}') with events; use moreau-jean without them"
            raise InputError(message, where="scheme", key="name", value=scheme.name)
    spatial = np.flatnonzero(blocks.rough & (blocks.slides > 1))
    if spatial.size and not isinstance(scheme, Hybrid):
        message = (
            f"friction in space (contact '{labels[int(spatial[0])]}', two tangents) has no located stick and slip; "
            "events support friction in the plane; use hybrid, which falls back to time stepping, or moreau-jean"
        )
        raise InputError(message, where="scheme", key="name", value=scheme.name)
    other = np.flatnonzero(blocks.rough & (blocks.friction[:, 1] != COULOMB))
    if other.size:
        message = f"supports Coulomb friction only (contact '{labels[int(other[0])]}') with events; use moreau-jean"
        raise InputError(message, where="scheme", key="name", value=scheme.name)
