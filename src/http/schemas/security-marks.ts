import { z } from 'zod';

/**
 * The meaning of a field for the security of a shop; the step-up rule and the audit log follow from it
 * (`../server/step-up.ts`).
 * - `secret`: its reader can act as another user, or claim money.
 * - `directs`: it determines where money, events or payers go.
 * - `settles`: it determines what counts as paid, also for an existing price, link or payment.
 */
export type Mark = 'secret' | 'directs' | 'settles';

const marks = z.registry<{ readonly mark: Mark }>();

function marked<T extends z.ZodType>(schema: T, mark: Mark): T {
  marks.add(schema, { mark });
  return schema;
}

/** Of a response: its reader can act as another user. */
export function secret<T extends z.ZodType>(schema: T): T {
  return marked(schema, 'secret');
}

/** Of a request: determines where money, events or payers go. */
export function directs<T extends z.ZodType>(schema: T): T {
  return marked(schema, 'directs');
}

/** Of a request: determines what counts as paid. */
export function settles<T extends z.ZodType>(schema: T): T {
  return marked(schema, 'settles');
}

export interface MarkedField {
  /** Names of the fields on the path to it; an element of a list adds none. */
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
  readonly mark: Mark | null;
}

/**
 * The innermost fields of a schema; the mark of an outer one applies to its inner ones.
 * @throws for an unknown kind of schema, because its fields would be missed
 */
export function leafFields(schema: z.core.$ZodType): MarkedField[] {
  return visit(schema, [], null);
}

function visit(schema: z.core.$ZodType, path: readonly string[], outer: Mark | null): MarkedField[] {
  const mark = marks.get(schema)?.mark ?? outer;
  const parts = listParts(schema);
  if (parts.length === 0) return [{ path, schema, mark }];
  return parts.flatMap(([name, part]) => visit(part, name === null ? path : [...path, name], mark));
}

type Part = readonly [name: string | null, schema: z.core.$ZodType];

function listParts(schema: z.core.$ZodType): Part[] {
  if (schema instanceof z.ZodObject) return Object.entries<z.core.$ZodType>(schema.shape);
  return innerTypes(schema).map((part): Part => [null, part]);
}

/** The schemas that a schema consists of, apart from the fields of an object; none for a plain value. */
export function innerTypes(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  // A transformation has no type of its own.
  if (schema instanceof z.ZodPipe)
    return [schema.in, schema.out].filter((side) => !(side instanceof z.ZodTransform));
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return [schema.unwrap()];
  if (LEAVES.some((leaf) => schema instanceof leaf)) return [];
  throw new Error(`${schema.constructor.name} is not a schema with known fields`);
}

const LEAVES = [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodNull, z.ZodUnknown];

/** Whether a schema contains a field with a mark. */
export function hasMark(schema: z.core.$ZodType, mark: Mark): boolean {
  return leafFields(schema).some((field) => field.mark === mark);
}
