import { z } from 'zod';
import type { Actor } from '../../domain/actor.ts';
import { LINK_FIELDS, LINK_KINDS } from '../../domain/payment-link.ts';
import { toCreator } from '../../store/creators.ts';
import type { AskedField, OpenAmount, PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { createdBy, creatorsFor } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const view = z.object({
  id: z.string().meta({ example: EXAMPLES.paymentLinkId }),
  kind: z.enum(LINK_KINDS),
  url: z.string().meta({ example: 'https://pay.shop.example/l/7x2k9mqw4pt0c' }),
  name: z.string().meta({ example: 'Two pounds of beans' }),
  description: z.string().nullable().meta({ example: 'Roasted on Mondays' }),
  priceId: z.string().nullable().meta({ example: null }),
  amount: z.string().nullable().meta({ example: '24.00' }),
  openAmount: z
    .object({
      min: z.string().optional().meta({ example: '5.00' }),
      max: z.string().optional().meta({ example: '500.00' }),
      suggested: z
        .array(z.string())
        .optional()
        .meta({ example: ['10.00', '20.00'] }),
    })
    .nullable()
    .meta({ example: null }),
  currency: z.string().nullable().meta({ example: 'USD' }),
  fields: z
    .array(z.object({ name: z.enum(LINK_FIELDS), required: z.boolean() }))
    .meta({ example: [{ name: 'email', required: true }] }),
  successUrl: z.string().nullable().meta({ example: EXAMPLES.returnUrl }),
  active: z.boolean(),
  createdBy,
  createdAt: timestamp(),
  updatedAt: timestamp(),
});
/** A payment link in answers. */
export const linkView = view.meta({ id: 'PaymentLink' });

/** Payment links as a reader sees them. */
export async function linksFor(
  { db, baseUrl }: { readonly db: Db; readonly baseUrl: string },
  reader: Actor,
  rows: readonly PaymentLinkRow[],
) {
  const creatorView = await creatorsFor(db, reader, rows.map(toCreator));
  return rows.map((row) => ({ ...present(row, baseUrl), createdBy: creatorView(toCreator(row)) }));
}

/** The same for one link. */
export async function linkFor(
  deps: { readonly db: Db; readonly baseUrl: string },
  reader: Actor,
  row: PaymentLinkRow,
) {
  const [link] = await linksFor(deps, reader, [row]);
  if (link === undefined) throw new Error(`payment link ${row.id} is not shown`);
  return link;
}

function present(row: PaymentLinkRow, baseUrl: string): Omit<z.input<typeof view>, 'createdBy'> {
  return {
    id: row.id,
    kind: row.kind,
    url: `${baseUrl}/${row.kind === 'pos' ? 'pos' : 'l'}/${row.slug}`,
    name: row.name,
    description: row.description,
    priceId: row.priceId,
    amount: row.amount,
    openAmount:
      row.openAmountJson === null
        ? null
        : (JSON.parse(row.openAmountJson) as OpenAmount & { suggested?: string[] }),
    currency: row.currency,
    fields: JSON.parse(row.fieldsJson) as AskedField[],
    successUrl: row.successUrl,
    active: row.active,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}
