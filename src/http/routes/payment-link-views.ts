import { z } from 'zod';
import type { Actor } from '../../domain/actor.ts';
import { LINK_FIELDS, LINK_KINDS } from '../../domain/payment-link.ts';
import { toCreator } from '../../store/creators.ts';
import type { AskedField, OpenAmount, PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { createdBy, creatorsFor } from './scoped-views.ts';

const view = z.object({
  id: z.string(),
  kind: z.enum(LINK_KINDS),
  url: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  priceId: z.string().nullable(),
  amount: z.string().nullable(),
  openAmount: z
    .object({
      min: z.string().optional(),
      max: z.string().optional(),
      suggested: z.array(z.string()).optional(),
    })
    .nullable(),
  currency: z.string().nullable(),
  fields: z.array(z.object({ name: z.enum(LINK_FIELDS), required: z.boolean() })),
  successUrl: z.string().nullable(),
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
    priceId: row.price_id,
    amount: row.amount,
    openAmount:
      row.open_amount_json === null
        ? null
        : (JSON.parse(row.open_amount_json) as OpenAmount & { suggested?: string[] }),
    currency: row.currency,
    fields: JSON.parse(row.fields_json) as AskedField[],
    successUrl: row.success_url,
    active: row.active === 1,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}
