/** Approval of sends above a limit: decisions, and the expiry of sends without one. */
export { type ApprovalDeps, approveSend, rejectSend } from './decide-send.ts';
export { expireApprovals } from './expire-approvals.ts';
export { listSendApprovals, requesterName } from './list-send-approvals.ts';
export { examineHeld, expireHeld, type HeldFinding } from './held-sends.ts';
