import { z } from 'zod';
import type { Actor } from '../../domain/actor.ts';
import { LINK_FIELDS, LINK_KINDS } from '../../domain/payment-link.ts';
import { toCreator } from '../../store/creators.ts';
import type { AskedField, OpenAmount, PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { ListedLink } from '../../usecases/links/index.ts';
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

/** A payment link in a list. */
export const listedLinkView = view
  .extend({
    price: z
      .object({
        product: z.string().meta({ description: 'Name of the product', example: 'Coffee beans' }),
        amount: z.string().meta({ example: '24.00' }),
        currency: z.string().meta({ example: 'USD' }),
      })
      .nullable()
      .meta({ description: 'The price of `priceId`; null for other links' }),
    payments: z
      .object({
        count: z.int().meta({ example: 14 }),
        totals: z.array(
          z.object({
            currency: z.string().meta({ example: 'EUR' }),
            amount: z.string().meta({ example: '686' }),
          }),
        ),
      })
      .meta({
        description: 'Completed payments of the link in one mode, and the sum of their prices by currency',
      }),
  })
  .meta({ id: 'ListedPaymentLink' });

/** The links of a list as a reader sees them. */
export async function listedLinks(
  deps: { readonly db: Db; readonly baseUrl: string },
  reader: Actor,
  links: readonly ListedLink[],
) {
  const views = await linksFor(
    deps,
    reader,
    links.map(({ row }) => row),
  );
  return views.map((link, index) => {
    const { price = null, payments = { count: 0, totals: [] } } = links[index] ?? {};
    const shown =
      price === null ? null : { product: price.product, amount: price.amount, currency: price.currency };
    return { ...link, price: shown, payments };
  });
}

/** Payment links as a reader sees them. */
async function linksFor(
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
