import type { components, paths, webhooks } from './openapi.ts';

/** The API as types, read off its OpenAPI document by method and path. */

export type Schemas = components['schemas'];
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

/** The query of a request; undefined when it takes none. */
export type Query<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query: infer Q } }
    ? Q
    : Operation<M, P> extends { parameters: { query?: infer Q } }
      ? Q | undefined
      : undefined;

type Posted<T extends keyof webhooks> = webhooks[T]['post']['requestBody']['content']['application/json'];

export type EventType = keyof webhooks;

/** What a webhook brings, discriminated by `type`. */
export type WebhookEvent = { [T in EventType]: Posted<T> }[EventType];

/** An event as the API lists it, discriminated by `type`. Old or large ones come without parts of their data (`truncated`). */
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
