/** The result of one delivery attempt. */
export interface AttemptReport {
  readonly logId: string;
  /** HTTP status of the response; 0 without one. */
  readonly status: number;
  readonly error: string | null;
}

/** The delivery queue as seen by use cases. */
export interface DeliveryAttempts {
  /** Attempts a delivery now, bypassing the queue, and waits for the result (bounded by the attempt's limit). */
  attemptNow(deliveryId: string): Promise<AttemptReport>;
}
