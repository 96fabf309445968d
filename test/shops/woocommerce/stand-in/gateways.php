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
    public $enabled = 'yes';
    public $icon = '';
    public $view_transaction_url = '';
    private $errors = [];

    public function init_settings()
    {
        $defaults = array_map(static function (array $field) {
            return $field['default'] ?? '';
        }, $this->form_fields);
        $this->settings = array_merge($defaults, (array) get_option($this->option(), []));
        $this->enabled = ($this->settings['enabled'] ?? '') === 'yes' ? 'yes' : 'no';
    }

    public function needs_setup()
    {
        return false;
    }

    public function get_option($name, $empty = null)
    {
        return $this->settings[$name] ?? $empty;
    }

    public function get_errors()
    {
        return $this->errors;
    }

    public function process_admin_options()
    {
        $this->init_settings();
        foreach ($this->form_fields as $name => $field) {
            try {
                $this->settings[$name] = $this->sent($name, $field['type'], wp_unslash($_POST["woocommerce_{$this->id}_{$name}"] ?? null));
            } catch (Exception $error) {
                $this->errors[] = $error->getMessage();
            }
        }
        return update_option($this->option(), $this->settings);
    }

    public function admin_options()
    {
        echo '<h2>' . esc_html($this->method_title) . '</h2><p>' . esc_html($this->method_description) . '</p>';
        foreach ($this->form_fields as $name => $field) {
            $id = esc_attr("woocommerce_{$this->id}_{$name}");
            $make = "generate_{$field['type']}_html";
            echo '<p><label for="' . $id . '">' . esc_html($field['title']) . '</label> ';
            echo (method_exists($this, $make) ? $this->$make($name, $field) : $this->generate_text_html($name, $field)) . '</p>';
        }
    }

    public function generate_text_html($name, $field)
    {
        $id = esc_attr("woocommerce_{$this->id}_{$name}");
        return "<input type='" . esc_attr($field['type']) . "' id='{$id}' name='{$id}' value='" . esc_attr((string) $this->get_option($name)) . "'>";
    }

    public function generate_checkbox_html($name, $field)
    {
        $id = esc_attr("woocommerce_{$this->id}_{$name}");
        return "<input type='checkbox' id='{$id}' name='{$id}' value='1'" . checked($this->get_option($name), 'yes', false) . '>';
    }

    public function generate_select_html($name, $field)
    {
        $id = esc_attr("woocommerce_{$this->id}_{$name}");
        $options = '';
        foreach ($field['options'] as $value => $text) {
            $options .= '<option value="' . esc_attr((string) $value) . '"' . selected((string) $this->get_option($name), (string) $value, false) . '>' . esc_html($text) . '</option>';
        }
        return "<select id='{$id}' name='{$id}'>{$options}</select>";
    }

    public function is_available()
    {
        return $this->enabled === 'yes';
    }

    public function get_icon()
    {
        return $this->icon === '' ? '' : '<img src="' . esc_url($this->icon) . '" alt="' . esc_attr($this->get_title()) . '" />';
    }

    public function payment_fields()
    {
        echo wpautop(wptexturize($this->get_description()));
    }

    public function get_transaction_url($order)
    {
        $id = (string) $order->get_transaction_id();
        $isKnown = $this->view_transaction_url !== '' && $id !== '';
        return apply_filters('woocommerce_get_transaction_url', $isKnown ? sprintf($this->view_transaction_url, $id) : '', $order, $this);
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

    /** By the check of the field, else by that of its type. */
    private function sent(string $name, string $type, $value)
    {
        if ($type === 'checkbox') {
            return $value === null ? 'no' : 'yes';
        }
        foreach (["validate_{$name}_field", "validate_{$type}_field"] as $check) {
            if (method_exists($this, $check)) {
                return $this->$check($name, $value);
            }
        }
        return sanitize_text_field((string) $value);
    }

    private function option(): string
    {
        return "woocommerce_{$this->id}_settings";
    }
}

/** Messages of the settings, shown above them. */
final class WC_Admin_Settings
{
    public static $errors = [];

    public static function add_error(string $text): void
    {
        self::$errors[] = $text;
    }
}

final class WC_Payment_Gateways
{
    private $gateways = [];

    public function __construct()
    {
        foreach (apply_filters('woocommerce_payment_gateways', []) as $gateway) {
            $gateway = is_string($gateway) ? new $gateway() : $gateway;
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

/** Another way to pay: the order waits for a transfer. */
final class WC_Gateway_BACS extends WC_Payment_Gateway
{
    public $id = 'bacs';
    public $title = 'Bank transfer';

    public function is_available()
    {
        return (get_option('woocommerce_bacs_settings')['enabled'] ?? '') === 'yes';
    }

    public function process_payment($order_id)
    {
        $order = wc_get_order($order_id);
        $order->update_status('on-hold', 'Awaiting the transfer.');
        WC()->cart->empty_cart();
        return ['result' => 'success', 'redirect' => $order->get_checkout_order_received_url()];
    }
}

add_filter('woocommerce_payment_gateways', static function (array $gateways): array {
    return array_merge($gateways, [WC_Gateway_BACS::class]);
});
