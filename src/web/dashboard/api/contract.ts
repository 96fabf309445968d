import type { paths } from '../../../../packages/sdk/src/openapi.ts';

/** The API as types, read off its OpenAPI document by method and path. */

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Operation<M extends Method, P extends keyof paths> =
  Lowercase<M> extends keyof paths[P] ? paths[P][Lowercase<M>] : never;

/** Every address of the API that takes this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: Operation<M, P> extends { responses: unknown } ? P : never;
}[keyof paths];

type DataIn<Answers> = {
  [Status in keyof Answers]: Answers[Status] extends { content: { 'application/json': { data: infer D } } }
    ? D
    : never;
}[keyof Answers];

/** What a successful answer carries. */
export type Data<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer Answers } ? DataIn<Answers> : never;

/** What a request has to carry; undefined when it takes no body. */
export type Body<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody: { content: { 'application/json': infer B } } } ? B : undefined;

/** Names as the document has them; values may come from an address, as text that the server checks. */
export type QueryOf<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query?: infer Q } }
    ? { readonly [Name in keyof Q]?: Q[Name] | string }
    : never;
