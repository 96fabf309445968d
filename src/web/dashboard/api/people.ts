/** Members and audit log of a shop: the dashboard's own routes, which no document lists. */
export interface PeopleRoutes {
  'GET /auth/audit': AuditPage;
  'GET /merchant/audit': AuditPage;
  'GET /merchant/people': People;
  'POST /merchant/people/invite': { readonly link: string; readonly invitation: Invitation };
  'PATCH /merchant/people/edit': { readonly ended: Readonly<Record<keyof CreatedByPerson, number>> };
  'DELETE /merchant/people/remove': unknown;
  'DELETE /merchant/people/invitation': unknown;
  'POST /merchant/people/invitation': Invited;
  'POST /merchant/people/accept': Invited;
  'POST /merchant/wallet/unfreeze': unknown;
}

export type MemberRole = 'manager' | 'clerk' | 'bookkeeper';

/**
 * Endpoints, keys and links that a person created for a shop, also by a key of theirs, and that still work.
 */
export interface CreatedByPerson {
  readonly endpoints: readonly { readonly id: string; readonly url: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  readonly links: readonly { readonly id: string; readonly name: string }[];
}

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAt: string;
  readonly made: CreatedByPerson;
}

interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly expiresAt: string;
}

export interface People {
  readonly owner: { readonly userId: string; readonly email: string };
  readonly members: readonly Person[];
  readonly invitations: readonly Invitation[];
}

export interface Invited {
  readonly shop: { readonly id: string; readonly name: string };
  readonly role: MemberRole;
  readonly email: string;
}

export interface AuditPage {
  readonly entries: readonly {
    readonly id: number;
    readonly at: string;
    readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
    readonly action: string;
    readonly objectId: string | null;
    readonly address: string;
    readonly userAgent: string;
    readonly result: string | null;
  }[];
  readonly next: number | null;
}
