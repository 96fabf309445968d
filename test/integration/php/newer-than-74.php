<?php
// Prints what PHP 7.4 cannot read in the files named by the arguments: "file:line what". Looks at tokens, not at texts.
const NEW_FUNCTIONS = ['str_contains', 'str_starts_with', 'str_ends_with', 'get_debug_type', 'array_is_list', 'fdiv', 'array_find', 'json_validate', 'mb_trim', 'array_any', 'array_all'];
const NEW_TOKENS = ['T_MATCH', 'T_ENUM', 'T_READONLY', 'T_NULLSAFE_OBJECT_OPERATOR', 'T_ATTRIBUTE'];
const PROMOTING = [T_PUBLIC, T_PROTECTED, T_PRIVATE];

foreach (array_slice($argv, 1) as $file) {
    foreach (problems(significant(file_get_contents($file))) as [$line, $what]) {
        echo "$file:$line $what\n";
    }
}

/** Tokens as [id or character, text, line], without blanks and comments. */
function significant(string $code): array
{
    $line = 1;
    $tokens = [];
    foreach (token_get_all($code) as $token) {
        [$id, $text, $line] = is_array($token) ? $token : [$token, $token, $line];
        if (!in_array($id, [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT], true)) {
            $tokens[] = [$id, $text, $line];
        }
    }
    return $tokens;
}

function problems(array $tokens): array
{
    $found = [];
    // Of each open bracket, whether it holds the parameters of a declaration.
    $open = [];
    $isDeclaration = false;
    $isReturnType = false;
    foreach ($tokens as $at => [$id, $text, $line]) {
        $before = $tokens[$at - 1] ?? [null, '', 0];
        $after = $tokens[$at + 1] ?? [null, '', 0];
        if (is_int($id) && in_array(token_name($id), NEW_TOKENS, true)) {
            $found[] = [$line, $text];
        }
        if ($id === T_STRING && $after[0] === '(' && in_array(strtolower($text), NEW_FUNCTIONS, true) && !in_array($before[0], [T_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION], true)) {
            $found[] = [$line, "$text()"];
        }
        if (in_array($id, [T_FUNCTION, T_FN], true)) {
            $isDeclaration = true;
        }
        if ($id === '(') {
            $open[] = $isDeclaration;
            $isDeclaration = false;
        }
        $inParameters = $open !== [] && end($open);
        if ($id === ')') {
            if ($before[0] === ',' && $inParameters) {
                $found[] = [$line, 'comma after the last parameter'];
            }
            $isReturnType = array_pop($open) === true && $after[0] === ':';
        }
        if (in_array($id, ['{', ';', T_DOUBLE_ARROW], true)) {
            $isReturnType = false;
        }
        if ($inParameters && in_array($id, PROMOTING, true)) {
            $found[] = [$line, 'promoted property'];
        }
        $isUnion = $id === '|' || (is_int($id) && strpos(token_name($id), 'T_AMPERSAND_NOT_FOLLOWED') === 0);
        if (($inParameters || $isReturnType) && $isUnion && $before[0] !== T_LNUMBER) {
            $found[] = [$line, 'union type'];
        }
        if (($inParameters || $isReturnType) && $id === T_STRING && in_array($text, ['mixed', 'never'], true)) {
            $found[] = [$line, "the type $text"];
        }
        if ($isReturnType && $id === T_STATIC) {
            $found[] = [$line, 'the type static'];
        }
        if ($id === T_THROW && !in_array($before[0], [';', '{', '}', ':', ')', T_ELSE, T_OPEN_TAG], true)) {
            $found[] = [$line, 'throw in an expression'];
        }
        if ($id === T_CATCH && ($tokens[$at + 3][0] ?? '') === ')') {
            $found[] = [$line, 'catch without a variable'];
        }
        if ($id === T_STRING && $after[0] === ':' && in_array($before[0], ['(', ','], true) && $open !== []) {
            $found[] = [$line, 'named argument'];
        }
        if ($id === T_ELLIPSIS && $after[0] === ')') {
            $found[] = [$line, 'first-class callable'];
        }
    }
    return $found;
}
