export { Tilld, type RequestParts } from './tilld.ts';
export {
  TilldError,
  type ApiErrorCode,
  type ErrorCode,
  type FieldProblem,
  type LocalErrorCode,
} from './errors.ts';
export {
  signForTest,
  verifyWebhook,
  WebhookError,
  type VerifyOptions,
  type WebhookErrorReason,
  type WebhookHeaders,
} from './webhook.ts';
export { SHOP_STATES, shopState, type ShopState } from './shop-state.ts';
export { subscriptionAccess, type SubscriptionAccess } from './subscription-access.ts';
export { currencyDigits, formatMinor, parseMinor, roundFiat } from './currency.ts';
export { connectSecrets, connectUrl, type ConnectRequest, type ConnectSecrets } from './connect.ts';
export type { CallOptions, MoneyOptions, TilldOptions } from './request.ts';
export type { FollowOptions, SinceOptions } from './events.ts';
export type {
  Body,
  Coin,
  Data,
  EventType,
  ListedEvent,
  Method,
  PathOf,
  PayerPayment,
  Payment,
  Query,
  Schemas,
  Scope,
  WebhookEvent,
} from './contract.ts';
