/** The parts of a finished OpenAPI document that tilld writes and its reference page reads. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  /** What the examples of bodies and answers are made of; left out of the document as it is served. */
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An example, or a reference to one. */
export interface Example {
  readonly $ref?: string;
  readonly summary?: string;
  readonly value?: unknown;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Reference {
  readonly $ref: string;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** All scopes that a restricted key needs; absent if restricted keys are rejected. */
  readonly 'x-scope'?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export const METHODS = ['get', 'post', 'patch', 'delete'] as const;
export type PathItem = Readonly<Partial<Record<(typeof METHODS)[number], Operation>>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly examples: Readonly<Record<string, Example>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** Resolves a schema reference of this document; also returns the component's name. */
export function resolveSchema(
  document: Pick<OpenApiDocument, 'components'>,
  schema: JsonSchema,
): { readonly schema: JsonSchema; readonly component: string | null } {
  if (schema.$ref === undefined) return { schema, component: null };
  const name = typeName(schema.$ref);
  const found = document.components.schemas[name];
  if (found === undefined) throw new Error(`the document has no ${schema.$ref}`);
  return { schema: found, component: name };
}

/** Resolves a response reference of this document. */
export function resolveResponse(
  document: Pick<OpenApiDocument, 'components'>,
  response: ResponseObject | Reference,
): ResponseObject {
  if (!('$ref' in response)) return response;
  const found = document.components.responses[typeName(response.$ref)];
  if (found === undefined) throw new Error(`the document has no ${response.$ref}`);
  return found;
}

/** Resolves an example reference of this document. */
export function resolveExample(document: Pick<OpenApiDocument, 'components'>, example: Example): Example {
  if (example.$ref === undefined) return example;
  const found = document.components.examples[typeName(example.$ref)];
  if (found === undefined) throw new Error(`the document has no ${example.$ref}`);
  return found;
}

function typeName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
