<?php

declare(strict_types=1);

namespace PluginCheck;

/** Functions that a plugin must not use, names that must be its own, texts that must be translatable, queries that must be prepared. */
final class Names
{
    private const ALTERNATIVES = [
        'parse_url', 'file_get_contents', 'file_put_contents', 'readfile', 'fopen', 'fclose', 'fread', 'fwrite', 'fputs', 'fsockopen', 'pfsockopen', 'unlink', 'rename', 'chmod', 'chown', 'chgrp',
        'mkdir', 'rmdir', 'touch', 'is_writable', 'is_writeable', 'strip_tags', 'rand', 'mt_rand', 'srand', 'mt_srand',
    ];
    private const FORBIDDEN = ['move_uploaded_file', 'passthru', 'proc_open', 'create_function', 'eval', 'str_rot13', 'exec', 'shell_exec', 'system', 'popen'];
    private const DISCOURAGED = ['set_time_limit', 'ini_set', 'ini_alter', 'dl'];
    private const DEVELOPMENT = ['error_log', 'var_dump', 'var_export', 'print_r', 'debug_print_backtrace', 'debug_backtrace', 'phpinfo', 'trigger_error', 'error_reporting'];
    private const DATES = ['date', 'date_default_timezone_set'];
    private const STORING = ['update_option', 'add_option', 'set_transient', 'set_site_transient', 'update_site_option', 'add_site_option', 'update_post_meta', 'add_post_meta', 'update_user_meta', 'wp_schedule_event', 'wp_schedule_single_event'];
    private const HOOKS = ['do_action', 'apply_filters', 'do_action_ref_array', 'apply_filters_ref_array'];
    private const TEXTS = ['__', '_e', 'esc_html__', 'esc_html_e', 'esc_attr__', 'esc_attr_e'];
    private const SCRIPTS = ['wp_register_script', 'wp_enqueue_script', 'wp_register_style', 'wp_enqueue_style'];
    private const QUERIES = ['query', 'get_var', 'get_row', 'get_col', 'get_results'];
    private const OWN = '/^(_?tilld|woocommerce_tilld)/';

    public static function check(Source $source, string $slug): array
    {
        return array_merge(self::functions($source), self::declared($source), self::kept($source), self::scripts($source), self::texts($source, $slug), self::queries($source));
    }

    public static function functions(Source $source): array
    {
        $problems = [];
        foreach ($source->calls() as $at => $name) {
            $rule = self::ruleOf($name);
            $isOwnInput = $name === 'file_get_contents' && Source::literal($source->arguments($at + 1)[0] ?? []) === 'php://input';
            if ($rule !== null && !$isOwnInput) {
                $problems[] = [$source->tokens[$at]->line, $rule, "{$name}() must not be used"];
            }
        }
        foreach ($source->tokens as $token) {
            if ($token->is(['`', T_GOTO]) || ($token->is([T_OPEN_TAG, T_OPEN_TAG_WITH_ECHO]) && stripos($token->text, '<?php') !== 0)) {
                $problems[] = [$token->line, 'Generic.PHP', 'no backticks, goto or short tags'];
            }
        }
        return $problems;
    }

    /** Everything that a file declares is in the namespace of the plugin. */
    public static function declared(Source $source): array
    {
        $names = [];
        foreach ($source->tokens as $at => $token) {
            if ($token->is(T_NAMESPACE)) {
                $names[] = $source->text($at + 1);
            }
        }
        $isOwn = $names !== [] && array_filter($names, static function (string $name): bool {
            return strpos("{$name}\\", 'Tilld\\WooCommerce\\') !== 0;
        }) === [];
        $problems = $isOwn ? [] : [[1, 'WordPress.NamingConventions.PrefixAllGlobals', 'is not in the namespace Tilld\\WooCommerce']];
        foreach ($source->calls(['define']) as $at => $name) {
            $problems[] = [$source->tokens[$at]->line, 'WordPress.NamingConventions.PrefixAllGlobals', 'define() makes a global name'];
        }
        return $problems;
    }

    private static function ruleOf(string $name): ?string
    {
        if (strpos($name, 'curl_') === 0 || in_array($name, self::ALTERNATIVES, true)) {
            return "WordPress.WP.AlternativeFunctions.{$name}";
        }
        // Not every server has the extension; WordPress brings these two itself.
        if (strpos($name, 'mb_') === 0 && !in_array($name, ['mb_substr', 'mb_strlen'], true)) {
            return 'missing_extension';
        }
        $lists = [
            'Generic.PHP.ForbiddenFunctions' => self::FORBIDDEN,
            'Squiz.PHP.DiscouragedFunctions' => self::DISCOURAGED,
            "WordPress.PHP.DevelopmentFunctions.error_log_{$name}" => self::DEVELOPMENT,
            "WordPress.DateTime.RestrictedFunctions.{$name}" => self::DATES,
        ];
        foreach ($lists as $rule => $list) {
            if (in_array($name, $list, true)) {
                return $rule;
            }
        }
        return null;
    }

    /** Hooks, options, transients and meta that the plugin makes. */
    private static function kept(Source $source): array
    {
        $problems = [];
        foreach ($source->calls(array_merge(self::STORING, self::HOOKS)) as $at => $function) {
            $arguments = $source->arguments($at + 1);
            $position = ['wp_schedule_event' => 2, 'wp_schedule_single_event' => 1, 'update_post_meta' => 1, 'add_post_meta' => 1, 'update_user_meta' => 1][$function] ?? 0;
            $name = Source::literal($arguments[$position] ?? []) ?? self::constant($source, $arguments[$position] ?? []);
            if ($name !== null && preg_match(self::OWN, $name) !== 1) {
                $problems[] = [$source->tokens[$at]->line, 'WordPress.NamingConventions.PrefixAllGlobals', "{$function}: {$name} does not begin with the name of the plugin"];
            }
        }
        return $problems;
    }

    /** The value of `self::NAME` where this file says it. @param \PhpToken[] $tokens */
    private static function constant(Source $source, array $tokens): ?string
    {
        if (count($tokens) !== 3 || $tokens[0]->text !== 'self') {
            return null;
        }
        foreach ($source->tokens as $at => $token) {
            if ($token->is(T_CONST) && $source->text($at + 1) === $tokens[2]->text) {
                return Source::literal([$source->tokens[$at + 3]]);
            }
        }
        return null;
    }

    /** Browsers keep a script without a version for ever. */
    private static function scripts(Source $source): array
    {
        $problems = [];
        foreach ($source->calls(self::SCRIPTS) as $at => $function) {
            $arguments = $source->arguments($at + 1);
            $version = strtolower($arguments[3][0]->text ?? '');
            if (count($arguments) > 1 && in_array($version, ['', 'false', 'null', "''"], true)) {
                $problems[] = [$source->tokens[$at]->line, 'WordPress.WP.EnqueuedResourceParameters.MissingVersion', "{$function} has no version"];
            }
            $handle = Source::literal($arguments[0] ?? []);
            if (count($arguments) > 1 && $handle !== null && preg_match(self::OWN, $handle) !== 1) {
                $problems[] = [$source->tokens[$at]->line, 'WordPress.NamingConventions.PrefixAllGlobals', "{$function}: {$handle} does not begin with the name of the plugin"];
            }
        }
        return $problems;
    }

    private static function texts(Source $source, string $slug): array
    {
        $problems = [];
        foreach ($source->calls(self::TEXTS) as $at => $function) {
            $arguments = $source->arguments($at + 1);
            $line = $source->tokens[$at]->line;
            $text = Source::literal($arguments[0] ?? []);
            if ($text === null || $text === '') {
                $problems[] = [$line, 'WordPress.WP.I18n.NonSingularStringLiteralText', "{$function} needs one literal text"];
            }
            if (Source::literal($arguments[1] ?? []) !== $slug) {
                $problems[] = [$line, 'WordPress.WP.I18n.TextDomainMismatch', "{$function} needs the text domain {$slug}"];
            }
            if (preg_match('/%(\d\$)?[sd]/', (string) $text) === 1 && !self::hasTranslatorsComment($source, $line)) {
                $problems[] = [$line, 'WordPress.WP.I18n.MissingTranslatorsComment', 'a text with placeholders needs a comment for translators above it'];
            }
            if (preg_match_all('/%[sd]/', (string) $text) > 1) {
                $problems[] = [$line, 'WordPress.WP.I18n.UnorderedPlaceholdersText', 'several placeholders need numbers'];
            }
        }
        return $problems;
    }

    private static function hasTranslatorsComment(Source $source, int $line): bool
    {
        foreach ($source->comments as $comment) {
            $end = $comment->line + substr_count($comment->text, "\n");
            if (strpos($comment->text, 'translators:') !== false && $end >= $line - 1 && $end <= $line) {
                return true;
            }
        }
        return false;
    }

    private static function queries(Source $source): array
    {
        $problems = [];
        foreach ($source->tokens as $at => $token) {
            if ($token->text !== '$wpdb' || $source->text($at + 1) !== '->' || $source->text($at + 3) !== '(') {
                continue;
            }
            $method = $source->text($at + 2);
            $first = $source->arguments($at + 3)[0] ?? [];
            if (in_array($method, self::QUERIES, true)) {
                $problems[] = [$token->line, 'WordPress.DB.DirectDatabaseQuery', "\$wpdb->{$method}: say why WordPress has no function for it"];
                $isPrepared = ($first[0]->text ?? '') === '$wpdb' && ($first[2]->text ?? '') === 'prepare';
            } elseif ($method === 'prepare') {
                $isPrepared = false;
            } else {
                continue;
            }
            $foreign = array_filter($first, static function (\PhpToken $part): bool {
                return $part->is(T_VARIABLE) && $part->text !== '$wpdb';
            });
            if (!$isPrepared && $foreign !== []) {
                $problems[] = [$token->line, 'WordPress.DB.PreparedSQL', "\$wpdb->{$method}: variables belong into the arguments of prepare()"];
            }
        }
        return $problems;
    }
}
