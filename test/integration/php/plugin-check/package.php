<?php

declare(strict_types=1);

namespace PluginCheck;

/** The headers of the plugin, its readme and its files, as WordPress.org takes them. */
final class Package
{
    private const SECTIONS = ['Description', 'Installation', 'Frequently Asked Questions', 'External services', 'Privacy', 'Screenshots', 'Changelog'];
    private const BAD_FILES = '/(^|\/)\.|\s|\.(zip|gz|tgz|rar|tar|7z|phar|exe|sh|so|bin|dmg|iso|o|a)$/D';

    /** @return array<int, array{string, string}> file and what is wrong */
    public static function check(string $directory, string $slug): array
    {
        $main = self::read("{$directory}/{$slug}.php");
        $readme = self::read("{$directory}/readme.txt");
        $headers = self::headers($main, '/^ \* ([\w ]+): (.+)$/m');
        $problems = array_merge(self::header($headers, $directory, $slug), self::readme($readme, $headers));
        return array_merge(array_map(static function (string $what) use ($slug): array {
            return ["{$slug}.php and readme.txt", $what];
        }, $problems), self::files($directory));
    }

    /** @return string[] */
    private static function header(array $headers, string $directory, string $slug): array
    {
        $problems = [];
        $patterns = [
            'Plugin Name' => '/./', 'Description' => '/./', 'Version' => '/^\d+\.\d+\.\d+$/D', 'Author' => '/./', 'License' => '/^(MIT|GPL)/', 'License URI' => '/^https:/', 'Plugin URI' => '/^https:/',
            'Requires at least' => '/^\d+\.\d(\.\d+)?$/D', 'Requires PHP' => '/^\d+(\.\d+){1,2}$/D', 'Requires Plugins' => '/^[a-z0-9-]+(, ?[a-z0-9-]+)*$/D', 'Text Domain' => "/^{$slug}$/D", 'Domain Path' => '/^\//',
        ];
        foreach ($patterns as $name => $pattern) {
            if (preg_match($pattern, $headers[$name] ?? '') !== 1) {
                $problems[] = "the header {$name} is missing or not valid";
            }
        }
        if (!is_dir($directory . ($headers['Domain Path'] ?? '/missing'))) {
            $problems[] = 'the folder of Domain Path does not exist';
        }
        return $problems;
    }

    /** @return string[] */
    private static function readme(string $readme, array $header): array
    {
        $problems = [];
        $fields = self::headers((string) strstr("{$readme}\n\n", "\n\n", true), '/^([\w ]+): (.+)$/m');
        $same = ['Stable tag' => 'Version', 'Requires at least' => 'Requires at least', 'Requires PHP' => 'Requires PHP', 'License' => 'License', 'License URI' => 'License URI'];
        foreach ($same as $field => $of) {
            if (!isset($fields[$field]) || $fields[$field] !== ($header[$of] ?? null)) {
                $problems[] = "readme.txt: {$field} is not what the header {$of} says";
            }
        }
        if (preg_match('/^=== (.+) ===$/m', $readme, $name) !== 1 || $name[1] !== ($header['Plugin Name'] ?? null)) {
            $problems[] = 'readme.txt: the name is not that of the plugin';
        }
        if (preg_match('/^[a-z0-9_-]+(, ?[a-z0-9_-]+)*$/D', $fields['Contributors'] ?? '') !== 1) {
            $problems[] = 'readme.txt: Contributors is missing, or not user names';
        }
        if (preg_match('/^\d+\.\d+$/D', $fields['Tested up to'] ?? '') !== 1) {
            $problems[] = 'readme.txt: Tested up to is missing, or not a major version';
        }
        $tags = count(array_filter(explode(',', $fields['Tags'] ?? '')));
        if ($tags < 1 || $tags > 5) {
            $problems[] = 'readme.txt: one to five tags';
        }
        $short = trim(explode("\n", explode("\n\n", $readme)[1] ?? '')[0]);
        if ($short === '' || strlen($short) > 150) {
            $problems[] = 'readme.txt: the short description is missing, or longer than 150 characters';
        }
        foreach (self::SECTIONS as $section) {
            if (preg_match('/^== ' . preg_quote($section, '/') . " ==\n\n?(?!== )\\S/m", $readme) !== 1) {
                $problems[] = "readme.txt: the section {$section} is missing or empty";
            }
        }
        if (isset($header['Version']) && strpos($readme, "= {$header['Version']} =") === false) {
            $problems[] = 'readme.txt: the changelog does not have the version';
        }
        return $problems;
    }

    private static function files(string $directory): array
    {
        $problems = [];
        $all = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($directory, \FilesystemIterator::SKIP_DOTS));
        foreach ($all as $file) {
            $name = substr((string) $file, strlen($directory) + 1);
            if (preg_match(self::BAD_FILES, $name) === 1) {
                $problems[] = [$name, 'is no file for a plugin'];
            }
            if (preg_match('/\.(php|js)$/D', $name) === 1 && preg_match('~https?://(localhost|127\.0\.0\.1)[/:]~', self::read((string) $file)) === 1) {
                $problems[] = [$name, 'names an address of this machine'];
            }
        }
        return $problems;
    }

    /** @return array<string, string> */
    private static function headers(string $text, string $pattern): array
    {
        preg_match_all($pattern, $text, $found);
        return array_combine($found[1], array_map('trim', $found[2]));
    }

    private static function read(string $file): string
    {
        return is_file($file) ? (string) file_get_contents($file) : '';
    }
}
