/** What came of one attempt to deliver. */
export interface AttemptReport {
  readonly logId: string;
  /** HTTP status of the answer; 0 when none came. */
  readonly status: number;
  readonly error: string | null;
}

/** The delivery queue as use cases know it. */
export interface DeliveryAttempts {
  /** Attempts a delivery now, ahead of the queue, and waits for what comes of it (bounded by the attempt's limit). */
  attemptNow(deliveryId: string): Promise<AttemptReport>;
}
