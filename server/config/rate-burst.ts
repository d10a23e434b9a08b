/** Length of the burst that a message rate allows, in seconds of that rate. */
export const burstSeconds = 10
