import type { z } from 'zod';
import { AppError, type FieldProblem } from '../../domain/errors.ts';

type Issue = z.core.$ZodIssue;
const NAMED_MAX = 5;

export type Parsed = { readonly value: unknown; readonly problems: readonly FieldProblem[] };

/** Parses one part of a request; problems name every bad field by its path (`items[0].amount`). */
export function parsePart(schema: z.ZodType | null, part: 'body' | 'query', raw: unknown): Parsed {
  if (schema === null) return { value: undefined, problems: [] };
  const result = schema.safeParse(raw);
  if (result.success) return { value: result.data, problems: [] };
  return { value: undefined, problems: result.error.issues.map((issue) => toProblem(issue, part, raw)) };
}

/** One VALIDATION_INVALID for all problems of a request. */
export function validationError(problems: readonly FieldProblem[]): AppError {
  const named = problems.slice(0, NAMED_MAX).map(({ field, message }) => `${field} ${message}`);
  const rest = problems.length - named.length;
  const message = named.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
  return new AppError('VALIDATION_INVALID', message, { details: problems });
}

function toProblem(issue: Issue, part: string, raw: unknown): FieldProblem {
  const field = fieldName(issue.path) || part;
  if (valueAt(raw, issue.path) === undefined) return { field, code: 'required', message: absent(issue) };
  return { field, code: issueCode(issue), message: issueMessage(issue) };
}

/** A rule between fields names the other field that would do as well. */
function absent({ code, message }: Issue): string {
  return code === 'custom' && message.startsWith('is required') ? message : 'is required';
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? String(key) : `${name}.${String(key)}`;
  }, '');
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function issueCode(issue: Issue): string {
  if (issue.code !== 'custom') return issue.code;
  const code: unknown = issue.params?.['code'];
  return typeof code === 'string' ? code : 'invalid';
}

function issueMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return issue.message.startsWith('Invalid')
        ? `must be one of ${issue.values.map(String).join(', ')}`
        : issue.message;
    case 'too_small':
      return bound(issue.origin, 'at least', String(issue.minimum));
    case 'too_big':
      return bound(issue.origin, 'at most', String(issue.maximum));
    case 'invalid_union':
      return issue.message.startsWith('Invalid') ? 'is invalid' : issue.message;
    case 'invalid_key':
    case 'invalid_element':
      return 'is invalid';
    case 'custom':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return issue.message;
    default:
      return 'is invalid';
  }
}

function bound(origin: string, relation: string, limit: string): string {
  switch (origin) {
    case 'array':
    case 'set':
      return `must have ${relation} ${limit} ${limit === '1' ? 'entry' : 'entries'}`;
    case 'string':
      return `must have ${relation} ${limit} characters`;
    default:
      return `must be ${relation} ${limit}`;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};
