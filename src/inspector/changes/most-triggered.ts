/** The most deliveries that one request triggers. */
export const MOST_TRIGGERED = 200;
