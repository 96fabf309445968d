import { z } from 'zod';

/** Values that a text needs besides the shop and the subject. */
export const noticeDetails = z.object({
  order: z.string().optional(),
  price: z.string().optional(),
  coin: z.string().optional(),
  host: z.string().optional(),
  paymentId: z.string().optional(),
  count: z.string().optional(),
});
export type NoticeDetails = z.output<typeof noticeDetails>;
