<?php

declare(strict_types=1);

namespace PluginCheck;

/** A PHP file as tokens, with what its comments say about ignoring rules (`phpcs:ignore RULE -- reason`, as in PHP_CodeSniffer). */
final class Source
{
    /** @var \PhpToken[] without blanks and comments */
    public $tokens = [];
    /** @var \PhpToken[] */
    public $comments = [];
    /** @var array<int, int> of each bracket that opens, where it closes */
    private $pairs = [];

    public function __construct(string $code)
    {
        foreach (\PhpToken::tokenize($code) as $token) {
            if ($token->is([T_COMMENT, T_DOC_COMMENT])) {
                $this->comments[] = $token;
            } elseif (!$token->is(T_WHITESPACE)) {
                $this->tokens[] = $token;
            }
        }
        $open = [];
        foreach ($this->tokens as $at => $token) {
            if ($token->is(['(', '[', '{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
                $open[] = $at;
            } elseif ($token->is([')', ']', '}']) && $open !== []) {
                $this->pairs[array_pop($open)] = $at;
            }
        }
    }

    public function text(int $at): string
    {
        return $this->tokens[$at]->text ?? '';
    }

    public function closing(int $at): int
    {
        return $this->pairs[$at] ?? count($this->tokens) - 1;
    }

    /** The calls of functions, not of methods, by one of the names; all of them for null. @return array<int, string> names by place */
    public function calls(?array $names = null): array
    {
        $found = [];
        foreach ($this->tokens as $at => $token) {
            $name = strtolower(ltrim($token->text, '\\'));
            $isName = $token->is([T_STRING, T_NAME_FULLY_QUALIFIED, T_EVAL]) && $this->text($at + 1) === '(';
            $isMember = $at > 0 && $this->tokens[$at - 1]->is([T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_NEW]);
            if ($isName && !$isMember && ($names === null || in_array($name, $names, true))) {
                $found[$at] = $name;
            }
        }
        return $found;
    }

    /** The parts of a list between brackets. @return \PhpToken[][] */
    public function arguments(int $bracket): array
    {
        $inside = array_slice($this->tokens, $bracket + 1, $this->closing($bracket) - $bracket - 1);
        return $inside === [] ? [] : self::split($inside, [',']);
    }

    /** The names of the functions whose brackets a token stands in. @return string[] */
    public function callsAround(int $at): array
    {
        $names = [];
        foreach ($this->pairs as $from => $to) {
            if ($from < $at && $at < $to && $this->text($from) === '(') {
                $names[] = strtolower($this->text($from - 1));
            }
        }
        return $names;
    }

    /** The body of the function that a token stands in: the innermost one. @return array{int, int} */
    public function functionAround(int $at): array
    {
        $around = [0, count($this->tokens) - 1];
        foreach ($this->tokens as $from => $token) {
            if ($from > $at || !$token->is([T_FUNCTION, T_FN])) {
                continue;
            }
            for ($body = $from; $body < count($this->tokens) && !in_array($this->text($body), ['{', ';'], true); $body++) {
                $body = $this->text($body) === '(' ? $this->closing($body) : $body;
            }
            if ($this->text($body) === '{' && $body < $at && $at < $this->closing($body)) {
                $around = [$body, $this->closing($body)];
            }
        }
        return $around;
    }

    /** What stands between separators, not counting those within brackets. @param \PhpToken[] $tokens @return \PhpToken[][] */
    public static function split(array $tokens, array $separators): array
    {
        $parts = [[]];
        $depth = 0;
        foreach ($tokens as $token) {
            $depth -= $token->is([')', ']', '}']) ? 1 : 0;
            if ($depth === 0 && $token->is($separators)) {
                $parts[] = [];
            } else {
                $parts[count($parts) - 1][] = $token;
            }
            $depth += $token->is(['(', '[', '{', T_CURLY_OPEN]) ? 1 : 0;
        }
        return array_values(array_filter($parts));
    }

    /** @return ?string the text of one plain literal; null for anything else */
    public static function literal(array $tokens): ?string
    {
        return count($tokens) === 1 && $tokens[0]->is(T_CONSTANT_ENCAPSED_STRING) ? substr($tokens[0]->text, 1, -1) : null;
    }

    /** Problems without those that a comment gives a reason to ignore; a comment without a reason is one itself. */
    public function unexcused(array $problems): array
    {
        [$rules, $left] = $this->excuses();
        foreach ($problems as [$line, $rule, $what]) {
            $isExcused = false;
            foreach ($rules as [$from, $to, $excused]) {
                $isExcused = $isExcused || ($from <= $line && $line <= $to && strpos($rule, $excused) === 0);
            }
            if (!$isExcused) {
                $left[] = [$line, $rule, $what];
            }
        }
        return $left;
    }

    /** @return array{array, array} lines with the rules that are ignored there, and comments that give no reason */
    private function excuses(): array
    {
        $excuses = [];
        $problems = [];
        foreach ($this->comments as $at => $comment) {
            if (preg_match('/phpcs:(ignore|disable)\s+([\w., ]+?)(?:\s+--\s+(\S.*))?(?:\*\/)?\s*$/D', $comment->text, $parts) !== 1) {
                continue;
            }
            $before = $this->comments[$at - 1] ?? null;
            $hasReasonAbove = $before !== null && $before->line === $comment->line - 1 && strpos($before->text, 'phpcs:') === false;
            if (($parts[3] ?? '') === '' && !$hasReasonAbove) {
                $problems[] = [$comment->line, 'ignore', 'says no reason: phpcs:ignore RULE -- reason'];
            }
            $to = $comment->line + 1;
            if ($parts[1] === 'disable') {
                $to = PHP_INT_MAX;
                foreach (array_slice($this->comments, $at) as $later) {
                    $to = strpos($later->text, 'phpcs:enable') !== false ? min($to, $later->line) : $to;
                }
            }
            foreach (array_map('trim', explode(',', $parts[2])) as $rule) {
                $excuses[] = [$comment->line, $to, $rule];
            }
        }
        return [$excuses, $problems];
    }
}
