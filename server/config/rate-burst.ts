/** Length of the burst that every send rate allows, in seconds of that rate. */
export const burstSeconds = 10
