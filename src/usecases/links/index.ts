/** Payment links and the counter: terms, answers of a payer, the payment created by a link. */
export { amountProblem, type LinkFormProblem, type LinkFormProblems } from './validate-link-form.ts';
export { createLink, type LinkDeps, newSlug } from './create-link.ts';
export { deleteLink, editLink } from './edit-link.ts';
export type { LinkTerms } from './link-terms.ts';
export { listSellingLinks, type ListedLink } from './list-links.ts';
export { payLink } from './pay-link.ts';
export { subscribeByLink } from './subscribe-by-link.ts';
export { type LinkView, readLink, readOpenLink } from './read-link.ts';
