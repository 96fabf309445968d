import type { Method, PathOf, Query } from '../../../../packages/sdk/src/index.ts';

export type { Body, Data, Method, PathOf } from '../../../../packages/sdk/src/index.ts';

/** Names from the OpenAPI document; values may come from an address, as text that the server checks. */
export type QueryOf<M extends Method, P extends PathOf<M>> =
  Exclude<Query<M, P>, undefined> extends infer Q ? { readonly [Name in keyof Q]?: Q[Name] | string } : never;
