import { api } from './client.ts';
import { useApi } from './hooks.ts';
import { usePermission } from './permissions.ts';
import type { Customer, Payment } from '../contract/types.ts';
import { t } from '../i18n/t.ts';

/** Maximum per request, and maximum per page of payments. */
const MOST = 100;

export type CustomersById = ReadonlyMap<string, Customer>;

/** The customer's name: the `name` in its metadata, if it is a text. */
export function customerName(customer: Customer): string | null {
  if (isErased(customer)) return t('Erased customer');
  const name = customer.metadata['name'];
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : null;
}

/** Whether the personal data of a customer was erased: the API then returns such an address. */
export function isErased({ id, email }: Customer): boolean {
  return email === `${id}@erased.invalid`;
}

/** The customers of some payments: one request per page; undefined if there are none. */
function buildQuery(merchantId: string | undefined, payments: readonly Payment[]) {
  const ids = new Set(payments.flatMap(({ customerId }) => (customerId === null ? [] : [customerId])));
  if (merchantId === undefined || ids.size === 0) return undefined;
  return { merchantId, customerIds: [...ids].toSorted().join(','), limit: MOST };
}

function byId(customers: readonly Customer[] = []): CustomersById {
  return new Map(customers.map((customer) => [customer.id, customer]));
}

/** The customers of a page of payments. @throws {ApiError} */
export async function loadCustomers(
  merchantId: string | undefined,
  payments: readonly Payment[],
): Promise<CustomersById> {
  const query = buildQuery(merchantId, payments);
  if (query === undefined) return byId();
  return byId((await api('GET', '/merchant/customer/list', { query })).customers);
}

/**
 * Like `loadCustomers`, for a page that shows them once they are loaded; undefined if the user may not read
 * customers.
 */
export function useCustomers(
  merchantId: string,
  payments: readonly Payment[] = [],
): CustomersById | undefined {
  const isAllowed = usePermission(merchantId)('customers:read');
  const query = buildQuery(merchantId, payments);
  const list = useApi('/merchant/customer/list', query, {
    enabled: isAllowed && query !== undefined,
    once: true,
  });
  return isAllowed ? byId(list.data?.customers) : undefined;
}
