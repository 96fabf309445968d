<?php

declare(strict_types=1);

namespace PluginCheck;

/** Escaping of what is printed, nonces and sanitising of what is read. */
final class Output
{
    private const ESCAPING = [
        'esc_html', 'esc_html__', 'esc_html_e', 'esc_attr', 'esc_attr__', 'esc_attr_e', 'esc_url', 'esc_url_raw', 'esc_js', 'esc_textarea', 'wp_kses', 'wp_kses_post', 'absint', 'intval', 'count',
        'wp_json_encode', 'wp_nonce_field', 'number_format_i18n',
    ];
    private const PRINTING = ['printf', 'wp_die', 'exit', 'die', 'trigger_error'];
    private const NONCES = ['wp_verify_nonce', 'check_admin_referer', 'check_ajax_referer'];
    private const INPUT = ['$_GET', '$_POST', '$_REQUEST', '$_FILES', '$_COOKIE', '$_SERVER'];

    public static function check(Source $source): array
    {
        return array_merge(self::printed($source), self::thrown($source), self::read($source));
    }

    private static function printed(Source $source): array
    {
        $problems = [];
        foreach ($source->tokens as $at => $token) {
            $isCall = $token->is([T_STRING, T_EXIT]) && in_array(strtolower($token->text), self::PRINTING, true) && $source->text($at + 1) === '(';
            if ($token->is([T_ECHO, T_PRINT, T_OPEN_TAG_WITH_ECHO])) {
                $parts = Source::split(self::statement($source, $at + 1), [',']);
            } elseif ($isCall && !$source->tokens[$at - 1]->is([T_OBJECT_OPERATOR, T_DOUBLE_COLON])) {
                $parts = $source->arguments($at + 1);
            } else {
                continue;
            }
            foreach ($parts as $part) {
                if (!self::isSafe($part)) {
                    $problems[] = [$part[0]->line, 'WordPress.Security.EscapeOutput.OutputNotEscaped', 'is printed without escaping: ' . self::show($part)];
                }
            }
        }
        return $problems;
    }

    /** Messages of exceptions end up on pages. */
    private static function thrown(Source $source): array
    {
        $problems = [];
        foreach ($source->tokens as $at => $token) {
            if (!$token->is(T_THROW) || !$source->tokens[$at + 1]->is(T_NEW) || $source->text($at + 3) !== '(') {
                continue;
            }
            foreach ($source->arguments($at + 3) as $part) {
                if (!self::isSafe($part)) {
                    $problems[] = [$part[0]->line, 'WordPress.Security.EscapeOutput.ExceptionNotEscaped', 'is thrown without escaping: ' . self::show($part)];
                }
            }
        }
        return $problems;
    }

    private static function read(Source $source): array
    {
        $problems = [];
        foreach ($source->tokens as $at => $token) {
            if (!$token->is(T_VARIABLE) || !in_array($token->text, self::INPUT, true) || $source->text($at + 1) !== '[') {
                continue;
            }
            $around = $source->callsAround($at);
            if (in_array($token->text, ['$_GET', '$_POST', '$_REQUEST', '$_FILES'], true) && !self::hasNonce($source, $at)) {
                $rule = $token->text === '$_POST' ? 'Missing' : 'Recommended';
                $problems[] = [$token->line, "WordPress.Security.NonceVerification.{$rule}", "{$token->text} is read without a nonce"];
            }
            if (array_intersect(['isset', 'empty', 'is_string', 'is_array', 'is_numeric'], $around) !== [] || self::isCompared($source, $at)) {
                continue;
            }
            $isCast = $source->tokens[$at - 1]->is([T_INT_CAST, T_DOUBLE_CAST, T_BOOL_CAST]) || in_array('absint', $around, true);
            $sanitizers = array_filter($around, static function (string $name): bool {
                return strpos($name, 'sanitize_') === 0 || in_array($name, ['esc_url_raw', 'wp_verify_nonce', 'intval'], true);
            });
            if (!$isCast && $sanitizers === []) {
                $problems[] = [$token->line, 'WordPress.Security.ValidatedSanitizedInput.InputNotSanitized', "{$token->text} is not sanitised"];
            }
            if (!$isCast && !in_array('wp_unslash', $around, true)) {
                $problems[] = [$token->line, 'WordPress.Security.ValidatedSanitizedInput.MissingUnslash', "{$token->text} is not unslashed"];
            }
        }
        return $problems;
    }

    /** Whether nothing is done with an input but comparing it: `$_SERVER['X'] === 'Y'`, also with `?? ''` in brackets. */
    private static function isCompared(Source $source, int $at): bool
    {
        $next = $source->closing($at + 1) + 1;
        if ($source->text($next) === '??' && $source->text($next + 2) === ')') {
            $next += 3;
        }
        return $source->tokens[$next]->is([T_IS_IDENTICAL, T_IS_NOT_IDENTICAL, T_IS_EQUAL, T_IS_NOT_EQUAL]);
    }

    private static function hasNonce(Source $source, int $at): bool
    {
        [$from, $to] = $source->functionAround($at);
        foreach (array_keys($source->calls(self::NONCES)) as $call) {
            if ($from <= $call && $call <= $to) {
                return true;
            }
        }
        return false;
    }

    /** Literals, numbers, and what an escaping function answers; of a choice both answers, of a sum all parts. @param \PhpToken[] $part */
    private static function isSafe(array $part): bool
    {
        $isWhole = static function (int $from) use ($part): bool {
            return count(Source::split(array_slice($part, $from), ['.', '?', ':', '=', '+', '-'])) === 1 && end($part)->is([')', ']']);
        };
        if ($part[0]->is('(') && $isWhole(0) && count(Source::split($part, [T_COALESCE])) === 1) {
            return self::isSafe(array_slice($part, 1, -1));
        }
        $choice = Source::split($part, ['?']);
        if (count($choice) > 1) {
            return self::areSafe(Source::split(array_slice($part, count($choice[0]) + 1), [':', '?']));
        }
        $sum = Source::split($part, ['.']);
        if (count($sum) > 1) {
            return self::areSafe($sum);
        }
        if (count($part) === 1 && $part[0]->is([T_CONSTANT_ENCAPSED_STRING, T_LNUMBER, T_DNUMBER])) {
            return true;
        }
        if ($part[0]->is([T_INT_CAST, T_DOUBLE_CAST, T_BOOL_CAST])) {
            return true;
        }
        if (!$isWhole(0)) {
            return false;
        }
        $inside = array_slice($part, 2, -1);
        $name = strtolower($part[0]->text);
        if ($part[0]->is('[')) {
            return self::areSafe(Source::split(array_slice($part, 1, -1), [',', T_DOUBLE_ARROW]));
        }
        if ($name === 'sprintf') {
            return self::areSafe(Source::split($inside, [',']));
        }
        return $part[0]->is(T_STRING) && $part[1]->is('(') && in_array($name, self::ESCAPING, true);
    }

    /** @param \PhpToken[][] $parts */
    private static function areSafe(array $parts): bool
    {
        foreach ($parts as $part) {
            if (!self::isSafe($part)) {
                return false;
            }
        }
        return true;
    }

    /** @return \PhpToken[] up to its end */
    private static function statement(Source $source, int $at): array
    {
        $tokens = [];
        while (isset($source->tokens[$at]) && !$source->tokens[$at]->is([';', T_CLOSE_TAG])) {
            $tokens[] = $source->tokens[$at++];
        }
        return $tokens;
    }

    /** @param \PhpToken[] $part */
    private static function show(array $part): string
    {
        return substr(implode(' ', array_column($part, 'text')), 0, 80);
    }
}
