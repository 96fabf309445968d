/** Speaks the catalog's part of the API as one account, and names what answers say. */
import { expect } from 'vitest';
import type { ApiAnswer } from './api-client.ts';
import { newUser, type HttpApp } from './http-app.ts';

/** What the answers read here may hold, each some of it. */
export interface Json {
  id: string;
  amount: string;
  createdAt: string;
  updatedAt: string;
  products: Json[];
  prices: Json[];
  pagination: { page: number; limit: number; total: number };
  options: Record<'BTC' | 'LTC', { amount: string }>;
}
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export const PRODUCT = '/merchant/product';
export const PRICE = '/merchant/price';

/** One account's view of the API. */
export class Account {
  readonly app: HttpApp;
  readonly token: string;

  constructor(app: HttpApp, token: string) {
    this.app = app;
    this.token = token;
  }

  static async open(app: HttpApp): Promise<Account> {
    return new Account(app, (await newUser(app)).token);
  }

  async call(method: Method, path: string, body?: object): Promise<ApiAnswer<Json>> {
    return this.app.api.call<Json>(method, path, { token: this.token, body });
  }

  async must(method: Method, path: string, body?: object): Promise<Json> {
    return this.app.api.must<Json>(method, path, { token: this.token, body });
  }

  /** A product of the account, tea by default. */
  async product(fields: object = {}): Promise<Json> {
    return this.must('POST', `${PRODUCT}/create`, { name: 'Tea', ...fields });
  }

  /** A price of 12.50 USD by default. */
  async price(productId: string, fields: object = {}): Promise<Json> {
    return this.must('POST', `${PRICE}/create`, { productId, amount: '12.50', currency: 'USD', ...fields });
  }

  async productIds(query = ''): Promise<string[]> {
    return ids((await this.must('GET', `${PRODUCT}/list?limit=100${query}`)).products);
  }

  async priceIds(query = ''): Promise<string[]> {
    return ids((await this.must('GET', `${PRICE}/list?limit=100${query}`)).prices);
  }
}

export function ids(list: Json[]): string[] {
  return list.map(({ id }) => id);
}

/** Status and code, and for bad fields their names in order. */
export function problem({ status, body }: ApiAnswer<Json>): unknown {
  const fields = (body.error?.details ?? []).map(({ field }) => field).sort();
  return fields.length === 0 ? [status, body.error?.code] : [status, body.error?.code, ...fields];
}

export const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
export const noProduct = [404, 'PRODUCT_NOT_FOUND'];
export const noPrice = [404, 'PRICE_NOT_FOUND'];
export const bad = (...fields: string[]) => [400, 'VALIDATION_INVALID', ...fields];
