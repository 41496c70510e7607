"""Siconos' event-driven run of the bouncing ball of ``event_ball``, for an interpreter that has it: a line of JSON.

Processor seconds of the loop, times of the impacts, evaluations are not counted there. The run ends at t = 2.9, before
the impacts accumulate at t = 3.
"""

import json
import sys
import time

import numpy as np
import siconos.kernel as sk

END, GRAVITY, RESTITUTION = 2.9, 2.0, 0.5


def simulation(h: float):
    """Return an event-driven simulation with samples every h."""
    ball = sk.LagrangianLinearTIDS(np.array([1.0]), np.array([0.0]), np.eye(1))
    ball.setFExtPtr(np.array([-GRAVITY]))
    relation = sk.LagrangianLinearTIR(np.array([[1.0]]))
    contact = sk.Interaction(sk.NewtonImpactNSL(RESTITUTION), relation)
    model = sk.NonSmoothDynamicalSystem(0.0, END)
    model.insertDynamicalSystem(ball)
    model.link(contact, ball)
    run = sk.EventDriven(model, sk.TimeDiscretisation(0.0, h))
    run.insertIntegrator(sk.LsodarOSI())
    run.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_IMPACT)
    run.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_SMOOTH_ACC)
    return run, ball


def main(h: float) -> None:
    """Print processor seconds, times of the impacts, and the final position."""
    run, ball = simulation(h)
    impacts, begin = [], time.process_time()
    while run.hasNextEvent():
        run.advanceToEvent()
        if run.eventsManager().nextEvent().getType() == 2:
            impacts.append(float(run.eventsManager().nextEvent().getDoubleTimeOfEvent()))
        run.processEvents()
    print(json.dumps({"seconds": time.process_time() - begin, "impacts": impacts, "position": float(ball.q()[0])}))


main(float(sys.argv[1]))
