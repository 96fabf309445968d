<?php

declare(strict_types=1);

defined('ABSPATH') || exit;

/** What a payment method extends: its settings with their form, and what WooCommerce asks it. */
abstract class WC_Payment_Gateway
{
    public $id = '';
    public $title = '';
    public $description = '';
    public $method_title = '';
    public $method_description = '';
    public $has_fields = false;
    public $supports = ['products'];
    public $form_fields = [];
    public $settings = [];

    public function init_settings()
    {
        $defaults = array_map(static function (array $field) {
            return $field['default'] ?? '';
        }, $this->form_fields);
        $this->settings = array_merge($defaults, (array) get_option($this->option(), []));
    }

    public function get_option($name, $empty = null)
    {
        return $this->settings[$name] ?? $empty;
    }

    public function process_admin_options()
    {
        $this->init_settings();
        foreach ($this->form_fields as $name => $field) {
            $sent = wp_unslash($_POST["woocommerce_{$this->id}_{$name}"] ?? null);
            $check = "validate_{$name}_field";
            if ($field['type'] === 'checkbox') {
                $this->settings[$name] = $sent === null ? 'no' : 'yes';
            } else {
                $this->settings[$name] = method_exists($this, $check) ? $this->$check($name, $sent) : sanitize_text_field((string) $sent);
            }
        }
        return update_option($this->option(), $this->settings);
    }

    public function admin_options()
    {
        echo '<h2>' . esc_html($this->method_title) . '</h2><p>' . esc_html($this->method_description) . '</p>';
        foreach ($this->form_fields as $name => $field) {
            $id = esc_attr("woocommerce_{$this->id}_{$name}");
            $value = (string) $this->get_option($name);
            $input = $field['type'] === 'checkbox'
                ? "<input type='checkbox' name='{$id}' value='1'" . checked($value, 'yes', false) . '>'
                : "<input type='text' name='{$id}' value='" . esc_attr($value) . "'>";
            echo '<p><label>' . esc_html($field['title']) . " {$input}</label></p>";
        }
    }

    public function is_available()
    {
        return $this->get_option('enabled') === 'yes';
    }

    public function supports($feature)
    {
        return in_array($feature, $this->supports, true);
    }

    public function can_refund_order($order)
    {
        return $order && $this->supports('refunds');
    }

    public function get_title()
    {
        return $this->title;
    }

    public function get_description()
    {
        return $this->description;
    }

    private function option(): string
    {
        return "woocommerce_{$this->id}_settings";
    }
}

final class WC_Payment_Gateways
{
    private $gateways = [];

    public function __construct()
    {
        foreach (apply_filters('woocommerce_payment_gateways', []) as $class) {
            $gateway = new $class();
            $this->gateways[$gateway->id] = $gateway;
        }
    }

    public function payment_gateways(): array
    {
        return $this->gateways;
    }

    public function get_available_payment_gateways(): array
    {
        return array_filter($this->gateways, static function (WC_Payment_Gateway $gateway): bool {
            return $gateway->is_available();
        });
    }
}
