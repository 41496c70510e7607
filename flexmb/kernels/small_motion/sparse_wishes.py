"""What the stage of matrices that are not bands is asked for (``kernels.small_motion.sparse_structure``)."""

TIMES_M, TIMES_K, TIMES_C, RESIST, ADD_CROSS, ADD_GYRO, SOLVE, SOLVE_MASS = range(8)
