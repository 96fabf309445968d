import { z } from 'zod';

/** Values that a text needs besides the shop and the subject. */
export const noticeDetails = z.object({
  order: z.string().optional(),
  price: z.string().optional(),
  coin: z.string().optional(),
  host: z.string().optional(),
  paymentId: z.string().optional(),
  count: z.string().optional(),
  /** The first address of a destination of forwards, and when it takes effect. */
  address: z.string().optional(),
  time: z.string().optional(),
  /** The rule or the watched account, and the change that can be undone. */
  forwardId: z.string().optional(),
  watchId: z.string().optional(),
  pendingId: z.string().optional(),
});
export type NoticeDetails = z.output<typeof noticeDetails>;
