import {
  METHODS,
  type JsonSchema,
  type MediaType,
  type OpenApiDocument,
  type Operation,
  type PathItem,
} from './types.ts';

/**
 * The document as it is served: repeated parameters and examples are moved to `components` and referenced, and the
 * examples of fields, which those of bodies and answers show, are left out. All other code works on the document
 * before that.
 */
export function deduplicateDocument(whole: OpenApiDocument): object {
  const document = withoutFieldExamples(whole);
  const operations = listOperations(document);
  const parameters = new Shared(
    'parameters',
    operations.flatMap(({ parameters: all = [] }) => all),
    ({ name }) => name,
  );
  const examples = new Shared(
    'examples',
    operations.flatMap((operation) =>
      listContents(operation).flatMap(({ example }) => (example === undefined ? [] : [example])),
    ),
    nameOfExample,
  );
  const content = (all: Readonly<Record<string, MediaType>>): object =>
    mapped(all, ({ example, ...rest }) => {
      const reference = example === undefined ? null : examples.referenceTo(example);
      if (reference !== null) return { ...rest, examples: { Usual: reference } };
      return example === undefined ? rest : { ...rest, example };
    });
  const leaner = (operation: Operation): object => ({
    ...operation,
    ...(operation.parameters === undefined
      ? {}
      : {
          parameters: operation.parameters.map((parameter) => parameters.referenceTo(parameter) ?? parameter),
        }),
    ...(operation.requestBody === undefined
      ? {}
      : { requestBody: { ...operation.requestBody, content: content(operation.requestBody.content) } }),
    responses: mapped(operation.responses, (response) =>
      '$ref' in response || response.content === undefined
        ? response
        : { ...response, content: content(response.content) },
    ),
  });
  const items = (all: OpenApiDocument['paths']): object =>
    mapped(all, (item) => mapped(item as Record<string, Operation>, leaner));
  const { components } = document;
  return {
    ...document,
    paths: items(document.paths),
    webhooks: items(document.webhooks),
    components: {
      ...components,
      parameters: parameters.all(),
      examples: { ...components.examples, ...mapped(examples.all(), (value) => ({ value })) },
    },
  };
}

/** The document without the `example` of any schema. */
function withoutFieldExamples(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const content = (all: Readonly<Record<string, MediaType>>): Record<string, MediaType> =>
    mapped(all, (media) => ({ ...media, schema: withoutExample(media.schema) }));
  const operation = (given: Operation): Operation => ({
    ...given,
    ...(given.parameters === undefined
      ? {}
      : { parameters: given.parameters.map((each) => ({ ...each, schema: withoutExample(each.schema) })) }),
    ...(given.requestBody === undefined
      ? {}
      : { requestBody: { ...given.requestBody, content: content(given.requestBody.content) } }),
    responses: mapped(given.responses, (response) =>
      '$ref' in response || response.content === undefined
        ? response
        : { ...response, content: content(response.content) },
    ),
  });
  const items = (all: OpenApiDocument['paths']): Record<string, PathItem> =>
    mapped(all, (item) => mapped(item as Record<string, Operation>, operation));
  return {
    ...document,
    paths: items(document.paths),
    webhooks: items(document.webhooks),
    components: { ...document.components, schemas: mapped(schemas, withoutExample) },
  };
}

function withoutExample(schema: JsonSchema): JsonSchema {
  const { example: _example, ...rest } = schema;
  const { properties, items, anyOf, oneOf, allOf, additionalProperties } = rest;
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapped(properties, withoutExample) }),
    ...(items === undefined ? {} : { items: withoutExample(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(withoutExample) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(withoutExample) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(withoutExample) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withoutExample(additionalProperties) }
      : {}),
  };
}

/** Values that occur more than once, each under a name of its own. */
class Shared<T> {
  readonly #kind: string;
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, T> = {};

  constructor(kind: string, values: readonly T[], nameOf: (value: T) => string) {
    this.#kind = kind;
    const groups = Map.groupBy(values, (value) => JSON.stringify(value));
    for (const [text, [value, ...others]] of groups) {
      if (value === undefined || others.length === 0) continue;
      const base = nameOf(value);
      let name = base;
      for (let number = 2; name in this.#values; number += 1) name = `${base}.${number}`;
      this.#names.set(text, name);
      this.#values[name] = value;
    }
  }

  referenceTo(value: T): { readonly $ref: string } | null {
    const name = this.#names.get(JSON.stringify(value));
    return name === undefined ? null : { $ref: `#/components/${this.#kind}/${name}` };
  }

  all(): Readonly<Record<string, T>> {
    return this.#values;
  }
}

function listOperations({ paths, webhooks }: OpenApiDocument): Operation[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
    METHODS.flatMap((method) => item[method] ?? []),
  );
}

function listContents({ requestBody, responses }: Operation): MediaType[] {
  const answers = Object.values(responses).map((response) =>
    '$ref' in response ? {} : (response.content ?? {}),
  );
  return [requestBody?.content ?? {}, ...answers].flatMap((content) => Object.values(content));
}

/** Named after the content of an example: the kind of its id, or its first field. */
function nameOfExample(example: unknown): string {
  const { data = example } = example as { data?: unknown };
  const { id } = (data ?? {}) as { id?: unknown };
  const kind = typeof id === 'string' ? /^([a-z]+)_/.exec(id)?.[1] : undefined;
  return `answer.${kind ?? Object.keys((data as object | null) ?? {})[0] ?? 'empty'}`;
}

function mapped<T, R>(record: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
