import {
  METHODS,
  resolveExample,
  resolveResponse,
  type Example,
  type OpenApiDocument,
  type Operation,
} from '../openapi/types.ts';
import { fieldList, fieldRow, typeName } from './fields.ts';
import { codeBlock, html, json, prose, type Html } from './html.ts';
import { operationRequest } from './samples/request.ts';
import { requestSamples } from './samples/tabs.ts';
import { tryable } from './tryable.ts';

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The endpoints of a tag, as the document lists them. */
export function findEndpoints(document: OpenApiDocument, tag: string): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation?.tags.includes(tag) === true ? [{ method, path, operation }] : [];
    }),
  );
}

/** Errors that are the same for all endpoints and documented once. */
const COMMON = new Set([
  'UNAUTHORISED',
  'FORBIDDEN',
  'VALIDATION_INVALID',
  'PAYLOAD_TOO_LARGE',
  'IDEMPOTENCY_MISMATCH',
  'IDEMPOTENCY_IN_FLIGHT',
  'DATABASE_UNAVAILABLE',
  'INTERNAL_ERROR',
]);

const CREDENTIALS: Readonly<Record<string, string>> = {
  userToken: 'user token',
  secretKey: 'secret key',
  restrictedKey: 'restricted key',
  publicKey: 'public key',
};

/** One endpoint: its parameters on one side, a request and its response on the other. */
export function endpointSection(document: OpenApiDocument, { method, path, operation }: Endpoint): Html {
  const baseUrl = document.servers[0]?.url ?? '';
  return html`<article id="${operation.operationId}" ${tryable(method, path, operation)}>
    <h3>${operation.summary}</h3>
    <p class="route">
      <b class="method ${method}">${method.toUpperCase()}</b>
      <code>${path.split('/').map((part, index) => (index === 0 ? html`` : html`/<wbr />${part}`))}</code>
    </p>
    <div class="cols">
      <div>
        <p>${prose(operation.description)}</p>
        ${credentials(operation)} ${query(document, operation)} ${body(document, operation)}
        ${answerFields(document, operation)} ${errors(document, operation)}
      </div>
      <div class="samples">
        ${requestSamples(operationRequest(baseUrl, method, path, operation))} ${otherBodies(operation)}
        ${answers(document, operation)}
      </div>
    </div>
  </article>`;
}

function credentials({ security = [] }: Operation): Html {
  const given = security.flatMap((requirement) => Object.entries(requirement));
  if (given.length === 0) return html`<p class="auth">Takes no credential.</p>`;
  const links = given.map(
    ([name, scopes], index) =>
      html`${index === 0 ? '' : index === given.length - 1 ? ' or ' : ', '}<b>${CREDENTIALS[name] ?? name}</b>${
        name === 'restrictedKey' ? scopePhrase(scopes) : null
      }`,
  );
  return html`<p class="auth"><a href="#credentials">Credential</a>: ${links}</p>`;
}

function scopePhrase(scopes: readonly string[]): Html {
  if (scopes.length === 0) return html` with any scope`;
  return html` with ${scopes.map((scope, index) => html`${index === 0 ? '' : ' and '}<code>${scope}</code>`)}`;
}

function query(document: OpenApiDocument, { parameters = [] }: Operation): Html | null {
  const shown = parameters.filter(({ in: place }) => place === 'query');
  if (shown.length === 0) return null;
  const rows = shown.map(({ name, schema, description, required = false }) => {
    const field = description === undefined ? schema : { ...schema, description };
    return fieldRow(document, { name, field, required }, 'request');
  });
  return html`<h4>Query</h4>
    <dl class="fields">${rows}</dl>`;
}

function body(document: OpenApiDocument, { requestBody }: Operation): Html | null {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined) return null;
  return html`<h4>Body</h4>
    ${fieldList(document, schema, 'request')}`;
}

function answerFields(document: OpenApiDocument, { responses }: Operation): Html | null {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  if (response === undefined) return null;
  const schema = resolveResponse(document, response).content?.['application/json']?.schema;
  const data = schema?.properties?.['data'];
  if (data === undefined) return null;
  const variants = data.anyOf ?? [data];
  const lists = variants.map(
    (variant) =>
      html`<details>
        <summary>
          ${typeName(document, variant) === 'object' ? 'Its fields' : typeName(document, variant)}
        </summary>
        ${fieldList(document, variant, 'answer')}
      </details>`,
  );
  return html`<h4>Answer, in <code>data</code></h4>
    ${lists}`;
}

function errors(document: OpenApiDocument, { responses }: Operation): Html {
  const all = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, response]) => {
      const { examples = {} } = resolveResponse(document, response).content?.['application/json'] ?? {};
      return Object.entries(examples).map(([code, example]) => {
        const { summary = '' } = resolveExample(document, example);
        return { status, code, summary };
      });
    });
  const own = all.filter(({ code }) => !COMMON.has(code));
  const common = all.filter(({ code }) => COMMON.has(code));
  return html`${all.length === 0 ? null : html`<h4>Errors</h4>`}
  ${
    own.length === 0
      ? null
      : html`<ul class="errors">
          ${own.map(({ status, code, summary }) => html`<li><code>${status} ${code}</code> ${summary}</li>`)}
        </ul>`
  }
  ${common.length === 0 ? null : html`<p class="common">${own.length === 0 ? 'Only the' : 'And the'} <a href="#errors">common ones</a>: ${common.map(({ code }, index) => html`${index === 0 ? '' : ', '}<code>${code}</code>`)}</p>`}`;
}

function otherBodies({ requestBody }: Operation): Html[] {
  const { examples = {} } = requestBody?.content['application/json'] ?? {};
  return Object.values(examples)
    .filter((example): example is Required<Example> => example.summary !== undefined)
    .map(({ summary, value }) => codeBlock(`Body: ${summary.toLowerCase()}`, json(value)));
}

function answers(document: OpenApiDocument, { responses }: Operation): Html[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .slice(-1)
    .flatMap(([status, response]) =>
      Object.values(resolveResponse(document, response).content ?? {}).map(({ example }) =>
        codeBlock(`Answer ${status}`, typeof example === 'string' ? example : json(example)),
      ),
    );
}
