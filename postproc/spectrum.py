"""Amplitude spectra of evenly sampled curves."""

from __future__ import annotations

import numpy as np

from flexmb.postproc.arrays import Array


def amplitude_spectrum(t: Array, y: Array) -> tuple[Array, Array]:
    """Return frequencies (Hz, without 0) and amplitudes (of the unit of y).

    The mean is subtracted and a Hann window applied to the samples, scaled so that A sin(2 pi f t) has the amplitude A
    at its frequency. A last sample off the even grid is left out, and so are the last ones that would make the
    transform slow: at most a few per cent.

    Parameters
    ----------
    t, y : (n,) arrays
        Times, s, evenly spaced, and values.
    """
    t, y = _evenly(t, y)
    n = len(t)
    if n < 8 or not t[-1] > t[0] or not np.isfinite(y).all():
        return np.zeros(0), np.zeros(0)
    window = _hann(n)
    amplitude = np.abs(np.fft.rfft((y - y.mean()) * window)) * 2.0 / window.sum()
    frequency = np.fft.rfftfreq(n, (t[-1] - t[0]) / (n - 1))
    return frequency[1:], amplitude[1:]


def full_spectrum(t: Array, yz: Array, fine: int = 1) -> tuple[Array, Array]:
    """Return frequencies from negative (backward) to positive (forward), Hz, and amplitudes of the whirl y + i z.

    Mean, window and last sample as in ``amplitude_spectrum``; a steady circle of radius r has the amplitude r.

    Parameters
    ----------
    t : (n,) array
        Times, s, evenly spaced.
    yz : (n, 2) array
        Displacements along y and z.
    fine : int
        So many frequencies in place of one: a smoother curve of the same width.
    """
    t, yz = _evenly(t, yz)
    whirl, window = yz[:, 0] + 1j * yz[:, 1], _hann(len(t))
    amplitude = np.abs(np.fft.fft((whirl - whirl.mean()) * window, fine * len(t))) / window.sum()
    frequency = np.fft.fftfreq(fine * len(t), (t[-1] - t[0]) / (len(t) - 1))
    return np.fft.fftshift(frequency), np.fft.fftshift(amplitude)


def _evenly(t: Array, y: Array) -> tuple[Array, Array]:
    """Return the samples without a last one off the even grid, in a number suited to fast transforms."""
    if len(t) > 2 and abs((t[-1] - t[-2]) - (t[1] - t[0])) > 1e-6 * (t[1] - t[0]):
        t, y = t[:-1], y[:-1]
    n = _quick_length(len(t))
    return t[:n], y[:n]


def _hann(n: int) -> Array:
    return np.asarray(0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(n) / n))


def _quick_length(n: int) -> int:
    """Return the largest number up to n that has no prime factors but 2, 3 and 5."""
    best = min(n, 1)
    five = 1
    while five <= n:
        three = five
        while three <= n:
            best = max(best, three << (n // three).bit_length() - 1)
            three *= 3
        five *= 5
    return best
