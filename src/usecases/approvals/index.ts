/** Approval of sends above a limit: decisions, and the expiry of sends without one. */
export { type ApprovalDeps, approveSend, type Decision, rejectSend } from './decide-send.ts';
export { expireApprovals, type ExpireApprovalsDeps } from './expire-approvals.ts';
export { type ApprovalView, listSendApprovals } from './list-send-approvals.ts';
