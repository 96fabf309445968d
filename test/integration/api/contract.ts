import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import {
  METHODS,
  resolveResponse,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
} from '../../../src/http/openapi/types.ts';
import { whole } from '../../_helpers/whole-openapi.ts';

/** One endpoint as the document tells it. */
export interface Endpoint {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The API as its own document promises it, with everything needed to check answers against it. */
export class Contract {
  readonly document: OpenApiDocument;
  readonly endpoints: readonly Endpoint[];
  readonly #ajv: Ajv2020;
  readonly #strict: Ajv2020;
  readonly #compiled = new Map<JsonSchema, ValidateFunction>();
  readonly #compiledStrictly = new Map<JsonSchema, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        const name = `${method.toUpperCase()} ${path}`;
        return operation === undefined ? [] : [{ name, method: method.toUpperCase(), path, operation }];
      }),
    );
    this.#ajv = validator(document);
    this.#strict = validator(closed(document) as OpenApiDocument);
  }

  /** The endpoints of the API proper: not those for who runs the daemon. */
  get routes(): readonly Endpoint[] {
    return this.endpoints.filter(({ operation }) => !operation.tags.includes('Service'));
  }

  static async of(baseUrl: string): Promise<Contract> {
    const response = await fetch(`${baseUrl}/openapi.json`);
    return new Contract(whole(await response.json()));
  }

  /** Problems of a value with a schema of the document; empty when it fits. */
  problems(schema: JsonSchema, value: unknown): string[] {
    return run(this.#open(schema), value);
  }

  fits(schema: JsonSchema, value: unknown): boolean {
    return this.problems(schema, value).length === 0;
  }

  /** As a query string is read: digits are numbers, `true` and `false` booleans. */
  fitsQuery(schema: JsonSchema, text: string): boolean {
    const read = QUERY_TYPES[String(schema.type)]?.(text);
    return this.fits(schema, read ?? text);
  }

  /** What is wrong with an answer, by the document: its status, code, envelope, fields and headers. */
  answerProblems(
    endpoint: Endpoint,
    answer: { readonly status: number; readonly headers: Headers; readonly body: unknown },
  ): string[] {
    const documented = endpoint.operation.responses[String(answer.status)];
    if (documented === undefined) return [`status ${answer.status} is not documented`];
    const { content = {}, headers = {} } = resolveResponse(this.document, documented);
    const schema = content['application/json']?.schema;
    if (schema === undefined) return ['no JSON answer is documented'];
    const missing = Object.keys(headers)
      .filter((name) => !SOMETIMES.has(name) && !answer.headers.has(name))
      .map((name) => `the header ${name} is missing`);
    return [...missing, ...run(this.#closed(schema), answer.body)];
  }

  #open(schema: JsonSchema): ValidateFunction {
    return remembered(this.#compiled, schema, () => this.#ajv.compile(schema));
  }

  #closed(schema: JsonSchema): ValidateFunction {
    return remembered(this.#compiledStrictly, schema, () =>
      this.#strict.compile(closed(schema) as JsonSchema),
    );
  }
}

/** Headers of some responses only. */
const SOMETIMES: ReadonlySet<string> = new Set(['Idempotent-Replayed', 'X-Tilld-Ignored-Fields']);

const QUERY_TYPES: Readonly<Record<string, (text: string) => unknown>> = {
  integer: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/** Compiling takes longer than everything else together. */
function remembered(
  known: Map<JsonSchema, ValidateFunction>,
  schema: JsonSchema,
  compile: () => ValidateFunction,
): ValidateFunction {
  const found = known.get(schema) ?? compile();
  known.set(schema, found);
  return found;
}

function validator(document: OpenApiDocument): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('idn-hostname', /^[^\s/:@?#]+\.[^\s/:@?#]+$/);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  }
  return ajv;
}

function run(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** The same schemas with every object closed: what the document does not name must not be answered. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    // The parts of an allOf each know only some of the fields.
    key === 'allOf' ? inner : closed(inner),
  ]);
  const schema = Object.fromEntries(entries);
  const open = schema['properties'] !== undefined && schema['additionalProperties'] === undefined;
  return open && isSchemaOfObject(schema) ? { ...schema, additionalProperties: false } : schema;
}

function isSchemaOfObject(schema: Record<string, unknown>): boolean {
  return schema['type'] === 'object' && typeof schema['properties'] === 'object';
}
