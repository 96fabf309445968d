import type { components, paths, webhooks } from './openapi.ts';

/** The API as types, derived from its OpenAPI document by method and path. */

export type Schemas = components['schemas'];
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

type Operation<M extends Method, P extends keyof paths> =
  Lowercase<M> extends keyof paths[P] ? paths[P][Lowercase<M>] : never;

/** Every path of the API with this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: Operation<M, P> extends { responses: unknown } ? P : never;
}[keyof paths];

type DataIn<Answers> = {
  [Status in keyof Answers]: Answers[Status] extends { content: { 'application/json': { data: infer D } } }
    ? D
    : never;
}[keyof Answers];

/** `data` of a successful response. */
export type Data<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer Answers } ? DataIn<Answers> : never;

/** The request body; undefined if there is none. */
export type Body<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody: { content: { 'application/json': infer B } } } ? B : undefined;

/** The query of a request; undefined if there is none. */
export type Query<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query: infer Q } }
    ? Q
    : Operation<M, P> extends { parameters: { query?: infer Q } }
      ? Q | undefined
      : undefined;

type Posted<T extends keyof webhooks> = webhooks[T]['post']['requestBody']['content']['application/json'];

export type EventType = keyof webhooks;

/** The body of a webhook, discriminated by `type`. */
export type WebhookEvent = { [T in EventType]: Posted<T> }[EventType];

/**
 * An event in a list of the API, discriminated by `type`. Old or large ones lack parts of their data
 * (`truncated`).
 */
export type ListedEvent = {
  [T in EventType]: Omit<Schemas['Event'], 'type' | 'data'> & {
    type: T;
    data: Partial<Posted<T>['data']>;
  };
}[EventType];

export type Coin = Schemas['Send']['coin'];
export type Scope = Schemas['RestrictedKey']['scopes'][number];
export type Payment = Schemas['Payment'];
export type PayerPayment = Schemas['PayerPayment'];
