import {
  ColumnNode,
  PrimitiveValueListNode,
  ReferenceNode,
  SqliteQueryCompiler,
  ValueListNode,
  ValueNode,
  type BinaryOperationNode,
  type OperationNode,
} from 'kysely';

/** Columns whose values are words of the program, and upon which partial indexes rest. */
const STATE_COLUMNS: ReadonlySet<string> = new Set(['state', 'status', 'late']);
const WORD = /^[a-z_]+$/;

/**
 * Writes the words that states are compared with into the statement itself. Statements are planned once,
 * without a look at their parameters, and only a word that stands in the statement tells the planner
 * that a partial index (`WHERE status = 'pending'`) holds all the rows asked for.
 */
export class StateWordCompiler extends SqliteQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const isAboutState = STATE_COLUMNS.has(columnOf(node.leftOperand) ?? '');
    super.visitBinaryOperation(
      isAboutState ? { ...node, rightOperand: spelledOut(node.rightOperand) } : node,
    );
  }
}

function columnOf(operand: OperationNode): string | null {
  if (ReferenceNode.is(operand) && ColumnNode.is(operand.column)) return operand.column.column.name;
  return ColumnNode.is(operand) ? operand.column.name : null;
}

function spelledOut(operand: OperationNode): OperationNode {
  if (ValueNode.is(operand) && isWord(operand.value)) return ValueNode.createImmediate(operand.value);
  if (PrimitiveValueListNode.is(operand) && operand.values.every(isWord)) {
    return ValueListNode.create(operand.values.map((value) => ValueNode.createImmediate(value)));
  }
  return operand;
}

/** Neither a number that somebody may choose freely nor a value that comes with each run. */
function isWord(value: unknown): boolean {
  return value === 0 || value === 1 || (typeof value === 'string' && WORD.test(value));
}
