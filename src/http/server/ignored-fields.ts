import type { Response } from 'express';
import { z } from 'zod';
import { isObject } from '../schemas/depth.ts';
import { innerTypes } from '../schemas/security-marks.ts';
import type { Route } from './route.ts';

export const IGNORED_FIELDS_HEADER = 'X-Tilld-Ignored-Fields';

const LISTED_MAX = 10;
/** Characters of one name, before it is encoded. */
const NAME_MAX = 50;
/** Bytes of the header, apart from the count at its end. */
const HEADER_MAX = 1_000;

/**
 * Names the fields of a body that the route does not have, such as a misspelled one. For the sandbox only, because
 * it is for those who write the integration.
 */
export function nameIgnoredFields(res: Response, route: Pick<Route, 'auth' | 'body'>, body: unknown): void {
  const names = listIgnoredFields(route, body);
  if (names.length > 0) res.setHeader(IGNORED_FIELDS_HEADER, toHeader(names));
}

/** Paths of the fields that the schema of the route ignores, such as `customer.emial` and `lines[0].sum`. */
export function listIgnoredFields(
  { auth, body: schema }: Pick<Route, 'auth' | 'body'>,
  body: unknown,
): string[] {
  const found = new Set<string>();
  visit(schema ?? z.object({}), body, '', found);
  // It names the merchant on each route that is about one, whether or not the schema of the route has it.
  if (auth === 'account' || auth === 'merchant' || auth === 'payer') found.delete('merchantId');
  return [...found];
}

function visit(schema: z.core.$ZodType, value: unknown, path: string, found: Set<string>): void {
  if (schema instanceof z.ZodObject) {
    // A schema with a catchall has every field.
    if (isObject(value) && schema.def.catchall === undefined) visitFields(schema, value, path, found);
  } else if (schema instanceof z.ZodArray) {
    if (Array.isArray(value)) value.forEach((one, at) => visit(schema.element, one, `${path}[${at}]`, found));
  } else if (schema instanceof z.ZodUnion) {
    const chosen = schema.options.find((option) => z.safeParse(option, value).success);
    if (chosen !== undefined) visit(chosen, value, path, found);
  } else if (!(schema instanceof z.ZodRecord)) {
    for (const inner of innerTypes(schema)) visit(inner, value, path, found);
  }
}

function visitFields(schema: z.ZodObject, value: object, path: string, found: Set<string>): void {
  for (const [name, field] of Object.entries(value)) {
    const full = path === '' ? encode(name) : `${path}.${encode(name)}`;
    const inner: z.core.$ZodType | undefined = Object.hasOwn(schema.shape, name)
      ? schema.shape[name]
      : undefined;
    if (inner === undefined) found.add(full);
    else visit(inner, field, full, found);
  }
}

/** Percent-encoded, because a header must not contain line breaks, commas or characters beyond ASCII. */
function encode(name: string): string {
  return encodeURIComponent(name.slice(0, NAME_MAX).toWellFormed());
}

/** The first names, and how many more there are: `orderID, customer.emial, +3`. */
function toHeader(names: readonly string[]): string {
  const listed: string[] = [];
  let length = 0;
  for (const name of names.slice(0, LISTED_MAX)) {
    length += name.length + 2;
    if (length > HEADER_MAX) break;
    listed.push(name);
  }
  const more = names.length - listed.length;
  return [...listed, ...(more > 0 ? [`+${more}`] : [])].join(', ');
}
