/** `link`: a page for payers. `pos`: a keypad for the counter of a shop. */
export const LINK_KINDS = ['link', 'pos'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Fields that a link may ask the payer for in addition to the money. */
export const LINK_FIELDS = ['email', 'name', 'note'] as const;
export type LinkField = (typeof LINK_FIELDS)[number];
