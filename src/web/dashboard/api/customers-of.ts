import { api } from './client.ts';
import { useApi } from './hooks.ts';
import { useMay } from './may.ts';
import type { Customer, Payment } from '../contract/types.ts';
import { t } from '../i18n/t.ts';

/** As many as one request may name, and as a page of payments has at most. */
const MOST = 100;

export type CustomersById = ReadonlyMap<string, Customer>;

/** What the shop calls a customer: the `name` in its metadata, where that is a text. */
export function customerName(customer: Customer): string | null {
  if (isErased(customer)) return t('Erased customer');
  const name = customer.metadata['name'];
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : null;
}

/** Whether the personal data of a customer was erased: the API shows such an address then. */
export function isErased({ id, email }: Customer): boolean {
  return email === `${id}@erased.invalid`;
}

/** Of the customers that some payments name: one request for a page of them; undefined where none is named. */
function queryOf(merchantId: string | undefined, payments: readonly Payment[]) {
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
  const query = queryOf(merchantId, payments);
  if (query === undefined) return byId();
  return byId((await api('GET', '/merchant/customer/list', { query })).customers);
}

/** As `loadCustomers`, for a page that shows them as soon as they are there; undefined for those who may not see customers. */
export function useCustomers(
  merchantId: string,
  payments: readonly Payment[] = [],
): CustomersById | undefined {
  const isAllowed = useMay(merchantId)('customers:read');
  const query = queryOf(merchantId, payments);
  const list = useApi('/merchant/customer/list', query, {
    enabled: isAllowed && query !== undefined,
    once: true,
  });
  return isAllowed ? byId(list.data?.customers) : undefined;
}
