import { api } from './client.ts';
import { useApi } from './hooks.ts';
import { useMay } from './may.ts';
import type { Customer, Payment } from './types.ts';

/** As many as one request may name, and as a page of payments has at most. */
const MOST = 100;

/** Of the customers that some payments name: one request for a page of them; undefined where none is named. */
function queryOf(merchantId: string | undefined, payments: readonly Payment[]) {
  const ids = new Set(payments.flatMap(({ customerId }) => (customerId === null ? [] : [customerId])));
  if (merchantId === undefined || ids.size === 0) return undefined;
  return { merchantId, customerIds: [...ids].toSorted().join(','), limit: MOST };
}

function byId(customers: readonly Customer[] = []): ReadonlyMap<string, string> {
  return new Map(customers.map(({ id, email }) => [id, email]));
}

/** Email addresses of the customers of a page of payments, by customer id. @throws {ApiError} */
export async function emailsOf(
  merchantId: string | undefined,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, string>> {
  const query = queryOf(merchantId, payments);
  if (query === undefined) return byId();
  return byId((await api('GET', '/merchant/customer/list', { query })).customers);
}

/** As `emailsOf`, for a page that shows them as soon as they are there; undefined for those who may not see customers. */
export function useEmailsOf(
  merchantId: string,
  payments: readonly Payment[] = [],
): ReadonlyMap<string, string> | undefined {
  const isAllowed = useMay(merchantId)('customers:read');
  const query = queryOf(merchantId, payments);
  const list = useApi('/merchant/customer/list', query, {
    enabled: isAllowed && query !== undefined,
    once: true,
  });
  return isAllowed ? byId(list.data?.customers) : undefined;
}
